// Switches, boxes, sliders and menus of choices.

import { vp } from '../units.mjs';

/** A thing with two states; `given` reads the one that the app wants. */
const twoStates = (given, name, size) => ({
  layout: 'leaf',
  clickable: true,
  checkable: true,
  size: () => size,
  checked: (element) => Boolean(element.state.checked),
  handles: ['onChange', 'select', 'selectAll', 'checked', 'unselectedColor'],
  applied(element) {
    const wanted = given(element);
    if (wanted !== undefined) element.state.checked = Boolean(wanted);
    else element.state.checked ??= false;
  },
  click(element, app) {
    setChecked(element, !element.state.checked, name, app);
    return true;
  },
});

function setChecked(element, checked, name) {
  element.state.checked = checked;
  element.writers.get(name)?.(checked);
  element.call('onChange', checked);
}

const checkbox = {
  ...twoStates((element) => element.attribute('select'), 'select', {
    width: vp(20),
    height: vp(20),
  }),
  click(element, app) {
    setChecked(element, !element.state.checked, 'select');
    const group = element.option('group');
    for (const master of app.elementsOf('CheckboxGroup'))
      if (group && master.option('group') === group) tellGroup(master, app);
    return true;
  },
};

const members = (master, app) =>
  app.elementsOf('Checkbox').filter((each) => each.option('group') === master.option('group'));

/** Tell a CheckboxGroup what is chosen now. */
function tellGroup(master, app) {
  const all = members(master, app);
  const chosen = all.filter((each) => each.state.checked);
  const status = chosen.length === 0 ? 2 : chosen.length === all.length ? 0 : 1;
  master.state.checked = status === 0;
  master.call('onChange', { name: chosen.map((each) => each.option('name') ?? ''), status });
}

const radio = {
  ...twoStates((element) => element.attribute('checked'), 'checked', {
    width: vp(24),
    height: vp(24),
  }),
  click(element, app) {
    if (element.state.checked) return true;
    for (const other of app.elementsOf('Radio')) {
      if (
        other !== element &&
        other.state.checked &&
        other.option('group') === element.option('group')
      )
        setChecked(other, false, 'checked');
    }
    setChecked(element, true, 'checked');
    return true;
  },
};

const select = {
  layout: 'leaf',
  clickable: true,
  padding: { left: 8, right: 8 },
  size: () => ({ height: vp(40) }),
  text: (element, resources) =>
    resources.text(element.state.value ?? element.args[0]?.[element.state.index]?.value),
  handles: ['selected', 'value', 'onSelect'],
  applied(element) {
    const index = element.attribute('selected');
    const value = element.attribute('value');
    if (index !== undefined) element.state.index = Number(index);
    if (value !== undefined) element.state.value = value;
    element.state.index ??= -1;
  },
  click(element, app) {
    const options = element.args[0] ?? [];
    app.dialogs.menu(
      options.map((option, index) => ({
        value: option.value,
        action: () => choose(element, options, index, app),
      })),
      element,
    );
    return true;
  },
};

function choose(element, options, index, app) {
  const value = app.resources.text(options[index].value);
  element.state.index = index;
  element.state.value = value;
  element.writers.get('selected')?.(index);
  element.writers.get('value')?.(value);
  element.call('onSelect', index, value);
}

const slider = {
  layout: 'leaf',
  natural: (_element, room) => ({ width: room.width, height: vp(40) }),
  scrollable: true,
  description: (element) => String(element.state.value ?? 0),
  handles: ['onChange'],
  applied(element) {
    const value = element.option('value');
    if (value !== undefined) element.state.value = Number(value);
    element.state.value ??= element.option('min') ?? 0;
  },
  /** Dragging over the whole width runs from the least to the greatest value. */
  scroll(element, [dx]) {
    const least = element.option('min') ?? 0;
    const most = element.option('max') ?? 100;
    const step = element.option('step') ?? 1;
    const width = Math.max(1, element.box.right - element.box.left);
    const value = element.state.value + (dx / width) * (most - least);
    const stepped = Math.min(
      most,
      Math.max(least, least + Math.round((value - least) / step) * step),
    );
    element.state.value = stepped;
    element.writers.get('value')?.(stepped);
    element.call('onChange', stepped, 1);
    element.call('onChange', stepped, 2);
    return true;
  },
};

const rating = {
  layout: 'leaf',
  clickable: true,
  size: () => ({ width: vp(140), height: vp(28) }),
  handles: ['onChange', 'stars', 'stepSize'],
  description: (element) => String(element.state.value ?? 0),
  applied(element) {
    element.state.value = element.option('rating') ?? element.state.value ?? 0;
  },
};

export const choices = {
  Toggle: twoStates((element) => element.option('isOn'), 'isOn', { width: vp(36), height: vp(20) }),
  Checkbox: checkbox,
  CheckboxGroup: {
    ...twoStates((element) => element.attribute('selectAll'), 'selectAll', {
      width: vp(20),
      height: vp(20),
    }),
    click(element, app) {
      const checked = !element.state.checked;
      for (const each of members(element, app))
        if (each.state.checked !== checked) setChecked(each, checked, 'select');
      tellGroup(element, app);
      return true;
    },
  },
  Radio: radio,
  Select: select,
  Slider: slider,
  Rating: rating,
};
