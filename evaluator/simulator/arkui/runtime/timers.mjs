// Timers of the app. Their callbacks may crash it like any other of its code.

export class Timers {
  constructor(app) {
    this.app = app;
    this.running = new Map(); // id -> handle
    this.count = 0;
  }

  /** Is nothing waiting to happen by itself? */
  get idle() {
    return this.running.size === 0;
  }

  once(callback, delay = 0) {
    const id = ++this.count;
    this.running.set(
      id,
      setTimeout(() => {
        this.running.delete(id);
        this.app.guard(callback);
      }, delay),
    );
    return id;
  }

  every(callback, delay = 0) {
    const id = ++this.count;
    this.running.set(
      id,
      setInterval(() => this.app.guard(callback), Math.max(1, delay)),
    );
    return id;
  }

  stop(id) {
    clearTimeout(this.running.get(id)); // ends intervals too
    this.running.delete(id);
  }
}
