// Components that are none: cycles, strange numbers, half characters.
const bounds = [0, 0, 1308, 2880];
const node = { uid: 1, parent: null, type: 'Text', bounds };
reply({ tree: [{ ...node, text: 'half \ud800 and \u0000 and \u202e', id: '\udfff', style: { hitTestBehavior: { a: [] } } }], crash: null });
reply({ tree: [{ ...node, text: '"/><test name="x" result_kind="Passed"/>' }], crash: null });
reply({ tree: [{ ...node, parent: 2 }, { ...node, uid: 2, parent: 1 }], crash: null });
