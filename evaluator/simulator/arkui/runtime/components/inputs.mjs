// Text fields.

import { vp } from '../units.mjs';

const KEEPS = { 2: /\d/, 3: /[\d+\-*#() ]/, 8: /\d/, 12: /[\d.]/ };

/** What of a typed text the field accepts. */
function accepted(element, text) {
  const kind = element.attribute('type');
  let kept = KEEPS[kind]
    ? [...text].filter((character) => KEEPS[kind].test(character)).join('')
    : text;
  const filter = element.attribute('inputFilter');
  if (filter)
    kept = [...kept].filter((character) => new RegExp(filter, 'u').test(character)).join('');
  const most = element.attribute('maxLength');
  if (typeof most === 'number' && most >= 0) kept = [...kept].slice(0, most).join('');
  return element.type === 'TextArea' ? kept : kept.replaceAll('\n', '');
}

function change(element, text) {
  if (text === element.state.text) return;
  element.state.text = text;
  for (const name of ['text', 'value']) element.writers.get(name)?.(text);
  element.call('onChange', text, { offset: -1, value: '' }, {});
}

const field = (parameter) => ({
  layout: 'leaf',
  clickable: true,
  text: (element) => element.state.text ?? '',
  hint: (element, resources) => resources.text(element.option('placeholder')),
  fillsWidth: true,
  size: (element) => (element.type === 'TextArea' ? {} : { height: vp(40) }),
  padding: { left: 16, right: 16 },
  handles: [
    'onChange',
    'onSubmit',
    'onEditChange',
    'onEditChanged',
    'onWillChange',
    'onWillInsert',
    'onDidInsert',
    'onWillDelete',
    'onDidDelete',
    'onCopy',
    'onCut',
    'onPaste',
    'onTextSelectionChange',
    'onContentScroll',
    'onContentSizeChange',
    'onSecurityStateChange',
    'type',
    'maxLength',
    'inputFilter',
    'selectAll',
    'customKeyboard',
    'showUnit',
    'enableAutoFill',
    'cancelButton',
    'searchButton',
    'stopBackPress',
    'enableSelectedDataDetector',
  ],
  applied(element) {
    const given = element.option(parameter);
    controllerOf(element);
    if (given === undefined) {
      element.state.text ??= '';
      return;
    }
    const text = element.app.resources.text(given);
    const before = element.state.text;
    element.state.text = text;
    if (before !== undefined && before !== text)
      element.app.later(() => element.call('onChange', text));
  },
  click(element, app) {
    app.focus(element);
    return true;
  },
  input(element, text, app) {
    app.focus(element);
    const insert = element.attribute('onWillInsert');
    if (typeof insert === 'function' && insert({ insertOffset: 0, insertValue: text }) === false)
      return;
    change(element, accepted(element, String(text)));
  },
  submit(element) {
    const event = { keepEditableState() {}, text: element.state.text };
    if (element.type === 'Search') element.call('onSubmit', element.state.text, event);
    else element.call('onSubmit', element.attribute('enterKeyType') ?? 6, event);
  },
});

/** Let the controller that the app passed in act on this field. */
function controllerOf(element) {
  element.option('controller')?.attach?.(element);
}

export const inputs = { TextInput: field('text'), TextArea: field('text'), Search: field('value') };

/** TextInputController, TextAreaController and SearchController. */
export class TextController {
  attach(element) {
    this.element = element;
  }
  caretPosition() {}
  setTextSelection() {}
  stopEditing() {
    this.element?.app.focus(null);
  }
  getCaretOffset() {
    return { index: this.element?.state.text.length ?? 0, x: 0, y: 0 };
  }
  addText(text) {
    if (this.element) change(this.element, (this.element.state.text ?? '') + text);
  }
  deleteText() {
    if (this.element) change(this.element, '');
  }
  clearPreviewText() {}
}
