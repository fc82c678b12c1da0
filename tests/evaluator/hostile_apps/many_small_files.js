const fs = need('fs');
const data = process.argv[process.argv.indexOf('--data') + 1];
for (let n = 0; ; n++) fs.writeFileSync(`${data}/small-${n}`, '');
