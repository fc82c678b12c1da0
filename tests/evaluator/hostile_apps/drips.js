// Answers every request a moment before its time is up.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, done) => { setTimeout(() => write(text, done), 8500); return true; };
