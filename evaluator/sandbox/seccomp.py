"""A system call filter for bubblewrap, compiled by libseccomp where that is installed.

Ordinary programs keep everything; what opens the kernel's less guarded doors, or makes
new namespaces, answers EPERM.
"""

from __future__ import annotations

import ctypes
import errno
import os

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_MASKED_EQUAL = 7

_REFUSED = """
    add_key keyctl request_key bpf perf_event_open userfaultfd
    io_uring_setup io_uring_enter io_uring_register
    mount umount2 pivot_root move_mount open_tree fsopen fsconfig fsmount fspick
    mount_setattr setns unshare chroot
    kexec_load kexec_file_load init_module finit_module delete_module
    ptrace process_vm_readv process_vm_writev kcmp
    open_by_handle_at name_to_handle_at acct quotactl swapon swapoff reboot
    sethostname setdomainname iopl ioperm syslog lookup_dcookie vhangup personality
"""

# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACE_FLAGS = (
    *(0x00020000, 0x02000000, 0x04000000, 0x08000000),
    *(0x10000000, 0x20000000, 0x40000000),
)
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C


class _Comparison(ctypes.Structure):
    _fields_ = [
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    ]


def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return None
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_release.argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.POINTER(_Comparison),
    ]
    library.seccomp_export_bpf.argtypes = [ctypes.c_void_p, ctypes.c_int]
    return library


def compile_filter() -> bytes | None:
    """The filter as a BPF program, or None where libseccomp is missing or refuses."""
    library = _library()
    if library is None:
        return None
    context = library.seccomp_init(_ALLOW)
    if not context:
        return None
    try:
        done = _add_rules(library, context)
        return _export(library, context) if done else None
    finally:
        library.seccomp_release(context)


def _add_rules(library: ctypes.CDLL, context: int) -> bool:
    def refuse(name: str, code: int, test: _Comparison | None = None) -> bool:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:  # unknown to this library or this processor
            return True
        tests = None if test is None else ctypes.pointer(test)
        count = 0 if test is None else 1
        answer = library.seccomp_rule_add_array(
            context, _ERRNO | code, number, count, tests
        )
        return bool(answer == 0)

    def has_bits(argument: int, *, mask: int, bits: int) -> _Comparison:
        return _Comparison(argument, _MASKED_EQUAL, mask, bits)

    low_word = 0xFFFFFFFF
    return all(
        [
            *(refuse(name, errno.EPERM) for name in _REFUSED.split()),
            # Its flags lie in memory where a filter cannot look; libc then uses clone.
            refuse("clone3", errno.ENOSYS),
            *(
                refuse("clone", errno.EPERM, has_bits(0, mask=flag, bits=flag))
                for flag in _NAMESPACE_FLAGS
            ),
            *(
                refuse("ioctl", errno.EPERM, has_bits(1, mask=low_word, bits=request))
                for request in (_TIOCSTI, _TIOCLINUX)
            ),
        ]
    )


def _export(library: ctypes.CDLL, context: int) -> bytes | None:
    with os.fdopen(os.memfd_create("seccomp"), "w+b") as program:
        if library.seccomp_export_bpf(context, program.fileno()) != 0:
            return None
        program.seek(0)
        return program.read()
