// What hvigorw prints, in the form of its 5.x and 6.x releases.

const RED = '\u001b[31m';
const YELLOW = '\u001b[33m';
const DEFAULT = '\u001b[39m';

/** `2 s 989 ms` */
export function duration(milliseconds) {
  const whole = Math.max(1, Math.round(milliseconds));
  const seconds = Math.floor(whole / 1000);
  const minutes = Math.floor(seconds / 60);
  const parts = [
    minutes && `${minutes} min`,
    seconds % 60 && `${seconds % 60} s`,
    `${whole % 1000} ms`,
  ];
  return parts.filter(Boolean).join(' ');
}

export class Console {
  constructor(write) {
    this.write = write;
    this.started = performance.now();
  }

  line(text) {
    this.write(`${text}\n`);
  }

  finished(task, milliseconds) {
    this.line(`> hvigor Finished ${task}... after ${duration(milliseconds)}`);
  }
  upToDate(task) {
    this.line(`> hvigor UP-TO-DATE ${task}... `);
  }

  /** Remarks on sources that compile all the same. */
  warnings(list) {
    list.forEach(({ message, file, line, column }, index) => {
      this.line(`${YELLOW}${index + 1} WARN: ${YELLOW}ArkTS:WARN File: ${file}:${line}:${column}`);
      this.line(` ${message}`);
      this.line(DEFAULT);
    });
  }

  unsigned(project) {
    this.line(
      `> hvigor WARN: Will skip sign 'hos_hap'. No signingConfigs profile is configured in current project.`,
    );
    this.line(
      `               If needed, configure the signingConfigs in ${project}/build-profile.json5 .`,
    );
  }

  successful() {
    this.line(`> hvigor BUILD SUCCESSFUL in ${duration(performance.now() - this.started)} `);
  }

  /** A failed task with its numbered errors. The count includes the summary line. */
  failed(task, findings, warnings) {
    this.line(`> hvigor ERROR: Failed ${task}... `);
    const title = findings[0]?.title ?? 'ArkTS Compiler Error';
    this.line(`> hvigor ERROR: ${title}`);
    this.warnings(warnings);
    findings.forEach((each, index) => this.finding(`${index + 1} ERROR`, each));
    this.line(`COMPILE RESULT:FAIL {ERROR:${findings.length + 1} WARN:${warnings.length}}`);
    this.line('');
    this.line('* Try:');
    this.line('> Run with --stacktrace option to get the stack trace.');
    this.line('> Run with --debug option to get more log output.');
    this.line('');
    this.line(`> hvigor ERROR: BUILD FAILED in ${duration(performance.now() - this.started)} `);
  }

  finding(label, { code, title = 'ArkTS Compiler Error', message, file, line, column }) {
    this.line(`${RED}${label}: ${RED}${code} ${title}`);
    this.line(`Error Message: ${message} At File: ${file}:${line}:${column}`);
    this.line('');
    this.line('');
    this.line(DEFAULT);
  }
}
