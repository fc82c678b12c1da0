// One conversation between the device and an app.

const TURNS = 5;
const MOST_FRAMES = 8;
const FRAME = /^(\s*at .*\.e?ts):\d+:\d+/;

/** How a crash is told: name and message of the error, then where it came from. */
function describeError(error) {
  if (!(error instanceof Error)) return `Error message: ${String(error)}`;
  const frames = String(error.stack ?? '')
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.replace(FRAME, '$1')); // the numbers are those of the compiled code
  return [
    `Error name: ${error.name}`,
    `Error message: ${error.message}`,
    ...(frames.length ? ['Stacktrace:', ...frames] : []),
  ].join('\n');
}

/** Let promises of the app that are ready now come to their end. */
async function rest() {
  for (let turn = 0; turn < TURNS; turn++)
    await new Promise((done) => {
      setImmediate(done);
    });
}

/** One JSON object with an `op`; null for anything else. */
function readRequest(line) {
  try {
    const request = JSON.parse(line);
    return typeof request?.op === 'string' ? request : null;
  } catch {
    return null;
  }
}

export class Session {
  constructor(makeApp) {
    this.makeApp = makeApp;
    this.app = null;
    this.crash = null;
    process.on('unhandledRejection', (reason) =>
      this.app?.log(`E A03D00/JSAPP: Unhandled promise rejection: ${describeError(reason)}`),
    );
    process.on('uncaughtException', (error) => this.fail(error));
  }

  fail(error) {
    this.crash ??= describeError(error);
  }

  /** Run code of the app; what it throws is a crash. */
  guard(action) {
    if (this.crash !== null) return undefined;
    try {
      return action();
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  async answer(line) {
    const request = readRequest(line);
    const more = request
      ? await this.perform(request)
      : { error: `No request: ${line.slice(0, 80)}` };
    const tree = this.guard(() => this.app?.tree()) ?? [];
    return {
      tree: this.crash === null ? tree : [],
      crash: this.crash,
      not_simulated: [...(this.app?.unsupported ?? [])],
      log: this.app?.lines.splice(0) ?? [],
      idle: this.app?.timers.idle ?? true,
      ...more,
    };
  }

  async perform(request) {
    if (request.op === 'start' && !this.app) this.begin();
    if (!this.app) return { error: 'The app is not running; send {"op": "start"} first.' };
    const done = this.guard(() => this.operate(request));
    await rest();
    this.guard(() => this.app.settle());
    await rest();
    return typeof done === 'object' ? done : {};
  }

  begin() {
    this.app = this.makeApp();
    this.app.guard = (action) => this.guard(action);
    this.guard(() => this.app.start());
  }

  operate(request) {
    switch (request.op) {
      case 'start':
      case 'tree':
        return {};
      case 'fire':
        return { handled: Boolean(this.app.fire(request.uid, request.event, request.value)) };
      case 'back':
        return { handled: Boolean(this.app.back()) };
      case 'background':
        return this.app.stage.background() ?? {};
      case 'foreground':
        return this.app.stage.foreground() ?? {};
      default:
        this.app.notSimulated(`request ${request.op}`);
        return {};
    }
  }
}
