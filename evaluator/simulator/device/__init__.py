"""One simulated OpenHarmony device in one process; standard library only.

Run it as ``python -m evaluator.simulator.device --port P --serial SN --root DIR``.
"""
