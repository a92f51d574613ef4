/* The part of Idiomorph that the page uses. The mock serves the library's own file under this name. */
export const Idiomorph: {
  morph(
    old: Element,
    next: Element,
    options: {
      morphStyle: 'outerHTML'
      callbacks: {
        beforeNodeMorphed(node: Node): boolean
        beforeNodeRemoved(node: Node): boolean
        beforeAttributeUpdated(name: string, element: Element): boolean
      }
    },
  ): void
}
