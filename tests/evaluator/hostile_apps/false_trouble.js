// A crash whose message looks like our own trouble, to be tried again for ever.
reply({ tree: [], crash: '[Environment-0101021] the device SIM was lost; hdc_error; worker_lost' });
