// Logging, events, device facts and the clipboard.

import { answer } from '../stage.mjs';
import { openObject } from './index.mjs';

const LEVELS = {
  debug: ['D', 3],
  info: ['I', 4],
  warn: ['W', 5],
  error: ['E', 6],
  fatal: ['F', 7],
};

/** `%{public}s` shows its value, `%{private}s` hides it, as on a device. */
function logText(pattern, values) {
  let at = 0;
  return String(pattern).replace(
    /%(?:\{(public|private)\})?([sdioOfjc%])/g,
    (whole, access, kind) => {
      if (kind === '%') return '%';
      const value = values[at++];
      if (access !== 'public') return '<private>';
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
    },
  );
}

function makeHilog(app) {
  const write =
    (letter) =>
    (domain, tag, pattern, ...values) => {
      app.log(
        `${letter} A${Number(domain).toString(16).toUpperCase().padStart(5, '0')}/${tag}: ${logText(pattern, values)}`,
      );
    };
  return openObject(
    'hilog',
    {
      ...Object.fromEntries(
        Object.entries(LEVELS).map(([name, [letter]]) => [name, write(letter)]),
      ),
      LogLevel: Object.fromEntries(
        Object.entries(LEVELS).map(([name, [, number]]) => [name.toUpperCase(), number]),
      ),
      isLoggable: () => true,
      setMinLogLevel: () => {},
    },
    app,
  );
}

function makeEmitter(app) {
  const handlers = new Map();
  const idOf = (event) => (typeof event === 'object' ? event.eventId : event);
  const add = (event, handler, once) => {
    const id = idOf(event);
    handlers.set(id, [...(handlers.get(id) ?? []), { handler, once }]);
  };
  return openObject(
    'emitter',
    {
      EventPriority: { IMMEDIATE: 0, HIGH: 1, LOW: 2, IDLE: 3 },
      on: (event, handler) => add(event, handler, false),
      once: (event, handler) => add(event, handler, true),
      off: (event, handler) => {
        const id = idOf(event);
        handlers.set(
          id,
          handler ? (handlers.get(id) ?? []).filter((each) => each.handler !== handler) : [],
        );
      },
      emit: (event, ...rest) => {
        const id = idOf(event);
        const data = rest.at(-1) ?? {};
        const called = handlers.get(id) ?? [];
        handlers.set(
          id,
          called.filter((each) => !each.once),
        );
        app.timers.once(() => {
          for (const { handler } of called) handler(data);
        });
      },
      getListenerCount: (event) => (handlers.get(idOf(event)) ?? []).length,
    },
    app,
  );
}

function makePasteboard(app) {
  let content = null;
  const data = (type, value) => ({
    getPrimaryText: () => value,
    getPrimaryMimeType: () => type,
    getRecordCount: () => 1,
  });
  const system = openObject(
    'SystemPasteboard',
    {
      setData: (value, callback) => answer(void (content = value), callback),
      setDataSync: (value) => {
        content = value;
      },
      getData: (callback) => answer(content ?? data('', ''), callback),
      getDataSync: () => content ?? data('', ''),
      hasData: (callback) => answer(content !== null, callback),
      hasDataSync: () => content !== null,
      clearData: (callback) => answer(void (content = null), callback),
    },
    app,
  );
  return openObject(
    'pasteboard',
    {
      MIMETYPE_TEXT_PLAIN: 'text/plain',
      MIMETYPE_TEXT_HTML: 'text/html',
      createData: data,
      getSystemPasteboard: () => system,
    },
    app,
  );
}

export function basics(app) {
  const hilog = makeHilog(app);
  return {
    '@kit.PerformanceAnalysisKit': {
      hilog,
      hiTraceMeter: openObject(
        'hiTraceMeter',
        { startTrace: () => {}, finishTrace: () => {}, traceByValue: () => {} },
        app,
      ),
    },
    '@kit.BasicServicesKit': {
      BusinessError: Error,
      emitter: makeEmitter(app),
      pasteboard: makePasteboard(app),
      base: openObject('base', {}, app),
      deviceInfo: openObject(
        'deviceInfo',
        {
          deviceType: 'phone',
          manufacturer: 'Simulated',
          brand: 'Simulated',
          marketName: 'Simulated phone',
          productModel: 'SIM',
          osFullName: 'OpenHarmony-6.1.0',
          sdkApiVersion: 23,
          displayVersion: '6.1.0',
          majorVersion: 6,
          seniorVersion: 1,
        },
        app,
      ),
      systemDateTime: openObject(
        'systemDateTime',
        {
          getTime: () => Date.now(),
          getCurrentTime: (_nano, callback) => answer(Date.now(), callback),
          getTimezoneSync: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
          getUptime: () => Math.round(process.uptime() * 1000),
        },
        app,
      ),
    },
  };
}
