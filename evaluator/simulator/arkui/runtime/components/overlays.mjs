// What is drawn above the page: dialogs, menus, sheets, popups and toasts.

import { vp } from '../units.mjs';

const own = (element) => element.children.flatMap((child) => child.elements());

export const overlays = {
  /** The layer that darkens the page and catches taps beside a dialog. */
  Overlay: {
    layout: 'stack',
    synthetic: true,
    fills: true,
    children: (element) => element.content(),
    click: (element) => element.outside(),
  },
  Dialog: {
    layout: 'column',
    synthetic: true,
    size: (element) => ({ width: element.wide ? null : vp(360) }),
    children: (element) => element.content(),
  },
  DialogText: {
    layout: 'leaf',
    synthetic: true,
    text: (element, resources) => resources.text(element.value),
  },
  DialogButton: {
    layout: 'leaf',
    synthetic: true,
    clickable: true,
    padding: 12,
    text: (element, resources) => resources.text(element.value),
    click: (element) => (element.act(), true),
  },
  Toast: {
    layout: 'column',
    synthetic: true,
    children: (element) => element.content(),
    padding: 12,
  },
  Menu: {
    layout: 'column',
    children: (element) => [...(element.synthetic ? element.content() : own(element))],
  },
  MenuItem: {
    layout: 'row',
    clickable: true,
    padding: 12,
    handles: [
      'onChange',
      'selected',
      'selectIcon',
      'contentFont',
      'contentFontColor',
      'labelFont',
      'labelFontColor',
    ],
    children: (element, app) =>
      element.args[0]?.content === undefined ? own(element) : [menuText(element, app)],
    click(element, app) {
      element.state.selected = !element.state.selected;
      element.call('onChange', element.state.selected);
      app.dialogs.closeMenuOf(element);
      return true;
    },
  },
  MenuItemGroup: { layout: 'column' },
};

function menuText(element, app) {
  const text = app.synthetic(element, 'content', 'Text');
  text.args = [element.args[0].content];
  return text;
}
