const fs = need('fs');
fs.writeSync(1, `{"tree": [{"uid": ${'9'.repeat(6000)}, "parent": null, "bounds": [0, 0, NaN, Infinity]}], "crash": null}\n`);
