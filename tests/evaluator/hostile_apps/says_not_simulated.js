// Claims that the device lacks something: no verdict either way.
app_says_not_simulated();
function app_says_not_simulated() {
  reply({ tree: [], crash: null, not_simulated: ['Kit.Everything'] });
}
