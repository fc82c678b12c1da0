// A component in a component in a component.
const tree = Array.from({ length: 19000 }, (_, n) => ({ uid: n, parent: n ? n - 1 : null, type: 'Column', bounds: [0, 0, 1308, 2880] }));
for (let n = 0; n < 8; n++) reply({ tree, crash: null });
