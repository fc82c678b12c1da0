// Scroller: lets the app move a scrollable.

import { move } from './events.mjs';
import { opaque } from './observed.mjs';

export class Scroller {
  attach(element, app) {
    this.element = element;
    this.app = app;
  }

  /** Move when the layout is known, which is after the present change is drawn. */
  go(target) {
    const { element, app } = this;
    if (!element) return;
    app.later(() => {
      app.tree();
      const { x, y } = element.state.scroll ?? { x: 0, y: 0 };
      const to = target(element.state.range ?? { x: 0, y: 0 }, element);
      move(app, element, x - to.x, y - to.y);
    });
  }

  scrollTo({ xOffset = 0, yOffset = 0 }) {
    this.go(() => ({ x: amount(xOffset), y: amount(yOffset) }));
  }
  scrollBy(dx, dy) {
    this.go((_, element) => ({
      x: (element.state.scroll?.x ?? 0) + amount(dx),
      y: (element.state.scroll?.y ?? 0) + amount(dy),
    }));
  }
  scrollEdge(edge) {
    this.go((range) => (edge === 2 || edge === 6 ? range : { x: 0, y: 0 }));
  }
  fling() {
    this.app?.notSimulated('Scroller.fling');
  }
  scrollPage({ next }) {
    this.go((range, element) => {
      const page = (element.box.bottom - element.box.top) * (next ? 1 : -1);
      return { x: 0, y: (element.state.scroll?.y ?? 0) + page };
    });
  }
  scrollToIndex(index) {
    this.go((range, element) => {
      const child = this.app.drawnIn(element)[index];
      return child?.offset
        ? { x: range.x ? child.offset.x : 0, y: range.y ? child.offset.y : 0 }
        : range;
    });
  }
  currentOffset() {
    const { x, y } = this.element?.state.scroll ?? { x: 0, y: 0 };
    return { xOffset: x / 3, yOffset: y / 3 };
  }
  offset() {
    return this.currentOffset();
  }
  isAtEnd() {
    return (this.element?.state.scroll?.y ?? 0) >= (this.element?.state.range?.y ?? 0);
  }
  getItemRect() {
    return { x: 0, y: 0, width: 0, height: 0 };
  }
}
Scroller.prototype.$isScroller = true;
opaque(Scroller);

const amount = (value) => (typeof value === 'string' ? Number.parseFloat(value) : value) * 3;
