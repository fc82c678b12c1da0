// @kit.ArkTS: utilities of the language.

import { randomUUID } from 'node:crypto';

import { format } from '../resources.mjs';
import { openObject } from './index.mjs';

class Stack {
  constructor() {
    this.items = [];
  }
  get length() {
    return this.items.length;
  }
  push(item) {
    this.items.push(item);
    return item;
  }
  pop() {
    return this.items.pop();
  }
  peek() {
    return this.items.at(-1);
  }
  isEmpty() {
    return this.items.length === 0;
  }
  forEach(visit) {
    this.items.forEach((item, index) => visit(item, index, this));
  }
}

class Queue {
  constructor() {
    this.items = [];
  }
  get length() {
    return this.items.length;
  }
  add(item) {
    this.items.push(item);
    return true;
  }
  pop() {
    return this.items.shift();
  }
  getFirst() {
    return this.items[0];
  }
  forEach(visit) {
    this.items.forEach((item, index) => visit(item, index, this));
  }
}

class ArrayList {
  constructor() {
    this.items = [];
  }
  get length() {
    return this.items.length;
  }
  add(item) {
    return this.items.push(item) > 0;
  }
  insert(item, index) {
    this.items.splice(index, 0, item);
  }
  has(item) {
    return this.items.includes(item);
  }
  get(index) {
    return this.items[index];
  }
  getIndexOf(item) {
    return this.items.indexOf(item);
  }
  removeByIndex(index) {
    return this.items.splice(index, 1)[0];
  }
  remove(item) {
    const index = this.items.indexOf(item);
    if (index >= 0) this.items.splice(index, 1);
    return index >= 0;
  }
  clear() {
    this.items = [];
  }
  isEmpty() {
    return this.items.length === 0;
  }
  sort(compare) {
    this.items.sort(compare);
  }
  forEach(visit) {
    this.items.forEach((item, index) => visit(item, index, this));
  }
  convertToArray() {
    return [...this.items];
  }
  [Symbol.iterator]() {
    return this.items[Symbol.iterator]();
  }
}

class HashMap {
  constructor() {
    this.items = new Map();
  }
  get length() {
    return this.items.size;
  }
  set(key, value) {
    this.items.set(key, value);
    return this;
  }
  get(key) {
    return this.items.get(key);
  }
  hasKey(key) {
    return this.items.has(key);
  }
  remove(key) {
    const value = this.items.get(key);
    this.items.delete(key);
    return value;
  }
  clear() {
    this.items.clear();
  }
  isEmpty() {
    return this.items.size === 0;
  }
  keys() {
    return this.items.keys();
  }
  values() {
    return this.items.values();
  }
  entries() {
    return this.items.entries();
  }
  forEach(visit) {
    this.items.forEach((value, key) => visit(value, key, this));
  }
  [Symbol.iterator]() {
    return this.items[Symbol.iterator]();
  }
}

class Base64Helper {
  encodeToStringSync(bytes) {
    return Buffer.from(bytes).toString('base64');
  }
  decodeSync(text) {
    return new Uint8Array(
      Buffer.from(typeof text === 'string' ? text : Buffer.from(text).toString(), 'base64'),
    );
  }
}

class Encoder extends TextEncoder {
  encodeInto(text) {
    return this.encode(text);
  }
}

class Decoder extends TextDecoder {
  static create(encoding, options) {
    return new Decoder(encoding, options);
  }
  decodeToString(bytes) {
    return this.decode(bytes);
  }
  decodeWithStream(bytes) {
    return this.decode(bytes);
  }
}

export const arkTs = (app) => ({
  util: openObject(
    'util',
    {
      format: (pattern, ...values) => format(String(pattern), values),
      generateRandomUUID: () => randomUUID(),
      TextEncoder: Encoder,
      TextDecoder: Decoder,
      Base64Helper,
    },
    app,
  ),
  JSON,
  Stack,
  Queue,
  ArrayList,
  List: ArrayList,
  HashMap,
  collections: openObject('collections', { Array, Map, Set }, app),
});
