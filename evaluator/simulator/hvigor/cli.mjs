// The process behind bin/hvigorw.

import { main } from './main.mjs';

process.exitCode = main(process.argv.slice(2), process.cwd(), (text) => process.stdout.write(text));
