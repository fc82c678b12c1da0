// The stack of router pages.

import { LocalStorage } from './storage.mjs';
import { DetachedSlot } from './tree.mjs';
import { untracked } from './reactive.mjs';

const PAGE_NOT_FOUND = 100002;
const STACK_FULL = 100003;
const MOST_PAGES = 32;

const problem = (code, message) => Object.assign(new Error(message), { code });

export class Pages {
  constructor(app) {
    this.app = app;
    this.stack = []; // { url, params, slot, component }
    this.question = null;
    this.isForeground = true;
  }

  get top() {
    return this.stack.at(-1);
  }

  elements() {
    return this.top ? this.top.slot.elements() : [];
  }

  /** Make the page of a url; its struct is the `@Entry` of that file. */
  make(url, params, storage) {
    const module = this.app.modules.page(url);
    if (!module)
      throw problem(
        PAGE_NOT_FOUND,
        `Uri error. The URI of the page to redirect is incorrect or does not exist: ${url}`,
      );
    const slot = new DetachedSlot(null);
    const page = { url, params, slot, component: null };
    const entry = module.entry;
    const own = entry.$about.decorators.Entry?.[0];
    const localStorage = storage ?? (own?.cells ? own : own?.storage);
    this.making = page;
    slot.build(() => {
      page.component = this.app.ui.instance(entry, {
        storage: localStorage ? () => localStorage : undefined,
      });
    });
    this.making = null;
    return page;
  }

  show(page) {
    if (this.isForeground) untracked(() => page?.component?.instance.onPageShow?.());
  }

  hide(page) {
    untracked(() => page?.component?.instance.onPageHide?.());
  }

  load(url, storage) {
    if (storage) this.app.localStorage = LocalStorage.shared = storage;
    const page = this.make(url, undefined, storage);
    this.stack = [page];
    this.show(page);
  }

  push({ url, params }, mode) {
    if (mode === 1 && this.moveUp(url, params)) return;
    if (this.stack.length >= MOST_PAGES)
      throw problem(STACK_FULL, 'Page stack error. Too many pages are pushed.');
    const before = this.top;
    const page = this.makeWithParams(url, params);
    this.hide(before);
    this.stack.push(page);
    this.show(page);
  }

  /** `getParams()` in the new page's own code must see the new parameters. */
  makeWithParams(url, params) {
    this.arriving = { params };
    try {
      return this.make(url, params);
    } finally {
      this.arriving = null;
    }
  }

  moveUp(url, params) {
    const index = this.stack.findIndex((page) => page.url === url);
    if (index < 0) return false;
    const before = this.top;
    const [page] = this.stack.splice(index, 1);
    page.params = params;
    this.hide(before);
    this.stack.push(page);
    this.show(page);
    return true;
  }

  replace({ url, params }) {
    const page = this.makeWithParams(url, params);
    const before = this.stack.pop();
    this.stack.push(page);
    this.hide(before);
    before?.slot.dispose();
    this.show(page);
  }

  back(target, params) {
    if (this.question && this.ask(() => this.back(target, params))) return;
    const url = typeof target === 'object' ? target?.url : undefined;
    const index =
      typeof target === 'number'
        ? target
        : url
          ? this.stack.findLastIndex((page) => page.url === url)
          : this.stack.length - 2;
    if (index < 0 || index >= this.stack.length - 1) return;
    const left = this.stack.splice(index + 1);
    this.hide(left.at(-1));
    for (const page of left.reverse()) page.slot.dispose();
    const given = params ?? (typeof target === 'object' ? target?.params : undefined);
    if (given !== undefined) this.top.params = given;
    this.show(this.top);
  }

  /** `showAlertBeforeBackPage`: leave only if the user agrees. */
  ask(leave) {
    const { message } = this.question;
    this.app.dialogs.alert({
      message,
      primaryButton: { value: 'Cancel', action: () => {} },
      secondaryButton: {
        value: 'OK',
        action: () => {
          this.question = null;
          leave();
        },
      },
    });
    return true;
  }

  clear() {
    for (const page of this.stack.splice(0, this.stack.length - 1)) page.slot.dispose();
  }

  /** The back key. False when there is no page to go back to. */
  backKey() {
    const handled = untracked(() => this.top?.component?.instance.onBackPress?.());
    if (handled === true) return true;
    if (this.stack.length < 2) return false;
    this.back();
    return true;
  }

  params() {
    return (this.arriving ?? this.top)?.params;
  }

  state(index = this.stack.length - 1) {
    const page = this.stack[index];
    if (!page) return undefined;
    const at = page.url.lastIndexOf('/') + 1;
    return {
      index: index + 1,
      name: page.url.slice(at),
      path: page.url.slice(0, at),
      params: page.params ?? {},
    };
  }
}
