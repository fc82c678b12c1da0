// The route map of the package: names of navigation pages and their builders.

export class Routes {
  constructor(app) {
    this.app = app;
  }

  /** The builder function behind a route name; null if the map does not know it. */
  builderOf(name) {
    const route = (this.app.modules.routeMap ?? []).find((each) => each.name === name);
    const module = route && this.app.modules.bySource(route.pageSourceFile);
    return module?.[route.buildFunction] ?? null;
  }
}
