// Attributes that open something: menus, sheets, covers and popups.

import { builderOf } from './tree.mjs';

const SHEETS = ['bindSheet', 'bindContentCover'];

/** Open or close what the attributes of an element say should be shown. */
export function applyBindings(element, app) {
  for (const name of SHEETS) if (element.has(name)) sheet(element, name, app);
  if (element.has('bindPopup')) popup(element, app);
  const menu = element.attributes.get('bindMenu');
  if (menu && typeof menu[0] === 'boolean') shownMenu(element, menu, app);
}

function sync(element, name, isShown, open) {
  const opened = element.state[name];
  if (isShown && !opened) {
    element.state[name] = open();
    element.cleanups.push(() => element.state[name]?.close());
  }
  if (!isShown && opened) {
    element.state[name] = null;
    opened.close();
  }
}

function sheet(element, name, app) {
  const [isShown, builder, options] = element.attributes.get(name);
  sync(element, name, isShown, () => {
    const leave = (layer) => {
      if (options?.onWillDismiss) {
        options.onWillDismiss({ dismiss: () => close(layer), reason: 0 });
        return true;
      }
      close(layer);
      return true;
    };
    const close = (layer) => {
      options?.onWillDisappear?.();
      element.state[name] = null;
      layer.close();
      element.writers.get(name)?.(false);
      options?.onDisappear?.();
    };
    options?.onWillAppear?.();
    const layer = app.dialogs.openBuilder(builderOf(builder), {
      outside: leave,
      back: leave,
      frame: name === 'bindSheet' ? 'SheetPage' : 'ModalPage',
      at: { alignment: name === 'bindSheet' ? 7 : 4 },
    });
    app.later(() => options?.onAppear?.());
    return layer;
  });
}

function popup(element, app) {
  const [isShown, options] = element.attributes.get('bindPopup');
  const told = (isVisible) => {
    options.onStateChange?.({ isVisible });
    if (!isVisible) element.writers.get('bindPopup')?.(false);
  };
  sync(element, 'bindPopup', isShown, () => {
    const leave = (layer) => {
      element.state.bindPopup = null;
      layer.close();
      told(false);
      return true;
    };
    app.later(() => told(true));
    const builder = builderOf(options.builder);
    if (builder) return app.dialogs.openBuilder(builder, { outside: leave, frame: 'Popup' });
    const buttons = [options.primaryButton, options.secondaryButton].filter(Boolean);
    return app.dialogs.openBox({
      texts: [options.message],
      types: ['Popup', 'Button'],
      buttons,
      cancel: () => {
        element.state.bindPopup = null;
        told(false);
      },
    });
  });
}

function shownMenu(element, [isShown, content], app) {
  sync(element, 'bindMenu', isShown, () => app.dialogs.menu(content, element));
}
