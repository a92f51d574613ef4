/* How the editors of the Console look. The colours are those of the page, in light and dark. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.modifier, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-value)' },
  { tag: [tags.typeName, tags.className, tags.definition(tags.typeName)], color: 'var(--code-type)' },
  {
    tag: [tags.variableName, tags.special(tags.name), tags.definition(tags.variableName)],
    color: 'var(--code-variable)',
  },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-name)' },
  { tag: [tags.comment, tags.punctuation, tags.bracket], color: 'var(--soft)' },
])

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '0.85rem', maxHeight: '26rem' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    lineHeight: '1.5',
    minHeight: '10rem',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.4rem 0' },
  '.cm-line': { padding: '0 0.6rem' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--plain-ground)',
    outline: '1px solid var(--soft)',
  },
  '.cm-tooltip, .cm-panels': { border: '1px solid var(--line)', backgroundColor: 'var(--card)', color: 'var(--text)' },
  '.cm-panels': { borderWidth: '1px 0 0', backgroundColor: 'var(--code)' },
  '.cm-tooltip': { borderRadius: '6px', maxWidth: 'min(34rem, 90vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
    // Forced colours remove the ground, and show this.
    outline: '2px solid transparent',
    outlineOffset: '-2px',
  },
  '.cm-tooltip.cm-completionInfo': { padding: '0.3rem 0.5rem' },
  // The library underlines by an image, which the Content-Security-Policy does not allow.
  '.cm-lintRange, .cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-diagnosticText': { overflowWrap: 'anywhere' },
  '.cm-completionDetail': { color: 'var(--soft)' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.documentation, .panel': {
    padding: '0.4rem 0.6rem',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    fontSize: '0.85rem',
  },
  '.documentation': { maxHeight: '14rem', overflow: 'auto' },
  '.panel': { height: '4.6rem', overflow: 'auto', color: 'var(--soft)' },
})

export const LOOK = [syntaxHighlighting(colours), theme]
