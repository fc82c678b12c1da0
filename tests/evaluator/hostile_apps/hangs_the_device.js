// Never ends a line, and closes neither end: the device waits for it.
process.stdout.write = () => true;
setInterval(() => {}, 1000);
