// Opening and closing of everything that is drawn above the page.

import { DetachedSlot, builderOf } from './tree.mjs';

const FAILED = { code: 23, message: 'cancel' };
const TOAST_MILLISECONDS = 1500;
const MOST_TOAST_MILLISECONDS = 10_000;

export class Dialogs {
  constructor(app) {
    this.app = app;
    this.layers = []; // lowest first: { element, isModal, outside, back, close }
    this.toasts = [];
  }

  /** The elements to draw above the page. */
  elements() {
    return [...this.layers.map((layer) => layer.element), ...this.toasts];
  }

  /** Put a layer above everything; `content` lists the elements in it. */
  open(content, { isModal = true, outside = () => false, back = outside, at = {} } = {}) {
    const element = this.app.synthetic(this, Symbol('layer'), 'Overlay');
    const layer = { element, isModal, outside, back, slots: [] };
    layer.close = () => {
      this.layers = this.layers.filter((each) => each !== layer);
      for (const slot of layer.slots) slot.dispose();
    };
    element.content = () => content(layer);
    element.outside = () => outside(layer) !== false;
    element.attributes = new Map(Object.entries({ alignContent: [at.alignment ?? 4] }));
    this.layers.push(layer);
    return layer;
  }

  /** A layer whose content is a builder of the app. */
  openBuilder(builder, options = {}) {
    let slot = null;
    return this.open((layer) => {
      if (!slot) {
        slot = new DetachedSlot(null);
        slot.owner = builder.$owner ?? null;
        layer.slots.push(slot);
        slot.build(() => builder(options.value));
      }
      return [this.frame(layer, options.frame ?? 'Dialog', slot)];
    }, options);
  }

  /** The box around the content of a builder, named after what it is. */
  frame(layer, type, slot) {
    const frame = this.app.synthetic(layer.element, 'frame', 'Dialog');
    frame.type = type;
    frame.wide = true;
    frame.content = () => slot.elements();
    return frame;
  }

  /** Texts and buttons in a box, as system dialogs have them. */
  openBox({ texts, buttons, cancel, autoCancel = true, types = ['Dialog', 'Button'] }) {
    let made = null;
    const finish = (layer, action) => {
      layer.close();
      action?.();
    };
    const outside = (layer) => {
      if (!autoCancel) return true;
      finish(layer, cancel);
      return true;
    };
    return this.open(
      (layer) => {
        made ??= [
          this.box(layer, {
            texts,
            types,
            buttons: buttons.map((button) => ({
              ...button,
              action: () => finish(layer, button.action),
            })),
          }),
        ];
        return made;
      },
      { outside, back: (layer) => (finish(layer, cancel), true) },
    );
  }

  box(layer, { texts, buttons, types }) {
    const { app } = this;
    const dialog = app.synthetic(layer.element, 'dialog', 'Dialog');
    [dialog.type] = types;
    const shown = texts
      .filter((each) => each !== undefined && each !== '')
      .map((value, index) => {
        const text = app.synthetic(dialog, `text${index}`, 'DialogText');
        text.type = 'Text';
        text.value = value;
        return text;
      });
    const pressable = buttons.map((button, index) => {
      const made = app.synthetic(dialog, `button${index}`, 'DialogButton');
      [, made.type] = types;
      made.value = button.value;
      made.act = button.action;
      if (button.enabled === false) made.attributes.set('enabled', [false]);
      return made;
    });
    dialog.content = () => [...shown, ...pressable];
    return dialog;
  }

  alert(options) {
    const written =
      options.buttons ??
      [options.confirm, options.primaryButton, options.secondaryButton].filter(Boolean);
    const buttons = written.map((button) => ({
      value: button.value,
      action: button.action,
      enabled: button.enabled,
    }));
    return this.openBox({
      texts: [options.title, options.subtitle, options.message],
      buttons,
      cancel: options.cancel,
      autoCancel: options.autoCancel ?? true,
    });
  }

  actionSheet(options) {
    const sheets = (options.sheets ?? []).map((sheet) => ({
      value: sheet.title,
      action: sheet.action,
    }));
    const confirm = options.confirm
      ? [{ value: options.confirm.value, action: options.confirm.action }]
      : [];
    return this.openBox({
      texts: [options.title, options.subtitle, options.message],
      buttons: [...sheets, ...confirm],
      cancel: options.cancel,
      autoCancel: options.autoCancel ?? true,
    });
  }

  /** `promptAction.showDialog`: resolves with the index of the pressed button. */
  choose(options, extra = []) {
    return new Promise((resolve, reject) => {
      const buttons = [...(options.buttons ?? []), ...extra];
      this.openBox({
        texts: [options.title, options.message],
        buttons: buttons.map((button, index) => ({
          value: button.text,
          action: () => resolve({ index }),
        })),
        cancel: () => reject(Object.assign(new Error(FAILED.message), FAILED)),
        autoCancel: options.autoCancel ?? true,
      });
    });
  }

  /** A menu of `{ value, action }` rows or a builder, opened by an element. */
  menu(items, element) {
    const builder = builderOf(items);
    const outside = (layer) => (layer.close(), true);
    if (builder)
      return Object.assign(this.openBuilder(builder, { outside, frame: 'MenuWrapper' }), {
        isMenu: true,
        anchor: element,
      });
    return this.openBox({
      texts: [],
      types: ['Menu', 'Option'],
      buttons: items
        .filter((item) => item.enabled !== false)
        .map((item) => ({ value: item.value, action: item.action })),
      autoCancel: true,
    });
  }

  closeMenuOf(element) {
    const layer = this.layers.find(
      (each) => each.isMenu && this.app.isWithin(element, each.element),
    );
    layer?.close();
  }

  toast({ message, duration = TOAST_MILLISECONDS }) {
    const toast = this.app.synthetic(this, Symbol('toast'), 'Toast');
    const text = this.app.synthetic(toast, 'text', 'DialogText');
    text.type = 'Text';
    text.value = message;
    toast.content = () => [text];
    this.toasts.push(toast);
    const shown = Math.min(Math.max(duration, TOAST_MILLISECONDS), MOST_TOAST_MILLISECONDS);
    this.app.timers.once(() => {
      this.toasts = this.toasts.filter((each) => each !== toast);
    }, shown);
  }

  /** The back key: the top layer takes it. */
  back() {
    const top = this.layers.at(-1);
    if (!top) return false;
    top.back(top);
    return true;
  }

  /** Is the element covered by a modal layer that it is not part of? */
  covering(element) {
    const top = this.layers.filter((layer) => layer.isModal).at(-1);
    return top && !this.app.isWithin(element, top.element) ? top : null;
  }
}

/** `CustomDialogController`: opens a struct or builder as a dialog. */
export class CustomDialogController {
  constructor(app, options) {
    this.app = app;
    this.options = options;
    this.layer = null;
  }

  open() {
    if (this.layer) return;
    const { options } = this;
    const leave = (reason) => (layer) => {
      const action = { dismiss: () => this.close(), reason };
      if (options.onWillDismiss) options.onWillDismiss(action);
      else if (reason === 1 && options.autoCancel === false) return true;
      else {
        this.close();
        options.cancel?.();
      }
      return Boolean(layer);
    };
    const builder = (value) => {
      const before = this.app.dialogController;
      this.app.dialogController = this;
      try {
        builderOf(options.builder)(value);
      } finally {
        this.app.dialogController = before;
      }
    };
    builder.$owner = options.builder?.$owner;
    this.layer = this.app.dialogs.openBuilder(builder, { outside: leave(1), back: leave(0) });
  }

  close() {
    this.layer?.close();
    this.layer = null;
  }

  getState() {
    return this.layer ? 'opened' : 'closed';
  }
}
