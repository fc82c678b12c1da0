// Every port of the loopback interface, where hdc and the uitest daemon listen outside.
const net = need('net');
const found = [];
let next = 1;
let open = 0;
const more = () => {
  while (open < 200 && next < 65536) {
    const port = next++;
    open += 1;
    const socket = net.connect({ host: '127.0.0.1', port });
    const end = () => { socket.destroy(); open -= 1; more(); };
    // A socket may meet itself: its own port is no listener.
    socket.on('connect', () => { if (socket.localPort !== port) found.push(port); end(); });
    socket.on('error', end);
  }
  if (next === 65536 && open === 0) {
    next += 1;
    tell(`ports ${JSON.stringify(found)} names ${Object.keys(need('os').networkInterfaces())}`);
  }
};
more();
