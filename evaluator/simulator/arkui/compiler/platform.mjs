// Declarations of the platform for the type checker. Everything of the platform is `any`:
// what a project says about its own code is checked, what it says about the SDK is not.

import { COMPONENTS, DECORATORS, ENUMS, TYPE_NAMES, VALUES } from './names.mjs';

export const PLATFORM_FILE = '/platform.d.ts';

// Declared by hand below, or by the standard library.
const SPECIAL = new Set([
  'CustomComponent',
  'IDataSource',
  'JSON',
  'console',
  '$$',
  'CommonMethod',
  'CommonAttribute',
  'CommonInstance',
  'Callback',
  'AsyncCallback',
  'ErrorCallback',
  'VoidCallback',
  'WrappedBuilder',
  'RepeatItem',
  'AttributeModifier',
  'ObservedObject',
]);

const HAND_WRITTEN = `
declare class CustomComponent {
  build(): void;
  aboutToAppear?(): void;
  aboutToDisappear?(): void;
  onDidBuild?(): void;
  aboutToReuse?(params: any): void;
  aboutToRecycle?(): void;
  onPageShow?(): void;
  onPageHide?(): void;
  onBackPress?(): void | boolean;
  pageTransition?(): void;
  getUIContext(): any;
  getUniqueId(): number;
  queryNavDestinationInfo(...values: any[]): any;
  queryNavigationInfo(): any;
  queryRouterPageInfo(): any;
  getDialogController(): any;
  onWillApplyTheme?(theme: any): void;
  onFormRecycle?(): string;
  onFormRecover?(data: string): void;
  onMeasureSize?(...values: any[]): any;
  onPlaceChildren?(...values: any[]): void;
}
declare class CommonAttribute { [attribute: string]: any }
declare class CommonMethod<T> { [attribute: string]: any }
declare const CommonInstance: CommonAttribute;
interface IDataSource {
  totalCount(): number;
  getData(index: number): any;
  registerDataChangeListener(listener: any): void;
  unregisterDataChangeListener(listener: any): void;
}
interface AttributeModifier<T> {
  applyNormalAttribute?(instance: any): void;
  applyPressedAttribute?(instance: any): void;
  applyFocusedAttribute?(instance: any): void;
  applyDisabledAttribute?(instance: any): void;
  applySelectedAttribute?(instance: any): void;
}
interface ObservedObject<T> { [name: string]: any }
type Callback<T = any, V = void> = (data: T) => V;
type AsyncCallback<T = any, E = void> = (error: any, data: T) => void;
type ErrorCallback<T = any> = (error: any) => void;
type VoidCallback = () => void;
type WrappedBuilder<T = any> = { builder: any };
interface RepeatItem<T> { readonly item: T; readonly index: number }
declare const console: any;
declare module '@kit.*';
declare module '@ohos.*';
declare module '@hms.*';
declare module '@system.*';
declare module '*.so';
`;

/** The text of the declaration file. */
export function platformText() {
  const lines = [HAND_WRITTEN];
  const done = new Set(SPECIAL);
  const once = (name, write) => {
    if (done.has(name)) return;
    done.add(name);
    lines.push(write(name));
  };
  for (const name of COMPONENTS) {
    lines.push(`declare class ${name}Attribute { [attribute: string]: any }`);
    lines.push(`interface ${name}Interface { (...values: any[]): ${name}Attribute }`);
    lines.push(
      `declare const ${name}: ${name}Interface; declare const ${name}Instance: ${name}Attribute;`,
    );
    for (const each of [name, `${name}Attribute`, `${name}Interface`]) done.add(each);
  }
  const both = (name) =>
    `declare const ${name}: any; type ${name}<A = any, B = any, C = any> = any;`;
  for (const name of [...ENUMS, ...VALUES, ...DECORATORS]) once(name, both);
  for (const name of TYPE_NAMES)
    once(name, (each) => `type ${each}<A = any, B = any, C = any> = any;`);
  return lines.join('\n');
}
