/* The part of Idiomorph that the page uses. The mock serves the library's own file under this name. */
export const Idiomorph: { morph(old: Element, next: Element, options: object): void }
