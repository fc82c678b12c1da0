for (let n = 0; n < 200000; n++) console.info(`${n} ${'x'.repeat(1000)}`);
