// What comes and goes on the Navigations of an app, and the back key.

import { infoOf, stackOf } from './nav-path-stack.mjs';

/** Life-cycle callbacks and the back key for every Navigation of the app. */
export class NavigationKeeper {
  constructor() {
    this.tops = new Map(); // Navigation element -> its top page
  }

  /** The pages of a Navigation as they are drawn now; tells those that came or went. */
  arrived(element, pages) {
    for (const page of pages) {
      if (page.state.ready) continue;
      page.state.ready = true;
      const place = placeOf(page);
      page.call('onWillAppear');
      page.call('onReady', contextOf(place));
    }
    const before = this.tops.get(element);
    const top = pages.at(-1);
    if (before === top) return;
    this.tops.set(element, top);
    before?.call('onHidden');
    top?.call('onShown');
  }

  /** Leave the top page of the innermost Navigation that has one. */
  back(elements) {
    for (const element of elements.filter((each) => each.type === 'Navigation').reverse()) {
      const stack = stackOf(element);
      if (!stack.entries.length) continue;
      const top = this.tops.get(element);
      if (top?.call('onBackPressed') === true) return true;
      stack.pop();
      return true;
    }
    return false;
  }

  destinationOf(slot) {
    const place = placeOf(slot);
    if (!place) return undefined;
    return {
      name: place.entry.name,
      index: place.stack.entries.indexOf(place.entry),
      param: place.entry.param,
      navDestinationId: '',
      state: 0,
    };
  }

  pathStackOf(slot) {
    return placeOf(slot)?.stack;
  }
}

function placeOf(slot) {
  for (let at = slot; at; at = at.parent) if (at.entry) return at.entry;
  return null;
}

const contextOf = (place) => ({
  pathInfo: place ? infoOf(place.entry) : { name: '', param: undefined },
  pathStack: place?.stack,
  navDestinationId: '',
  getConfigInRouteMap: () => undefined,
});
