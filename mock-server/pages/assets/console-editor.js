/* The editors of the Console: they take the place of its two text areas, which stay the form that is sent. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { EditorView, hoverTooltip, keymap, showPanel } from '@codemirror/view'
import { graphql, offsetToPos } from 'cm6-graphql'
import { buildSchema, getOperationAST, getVariableValues, parse } from 'graphql'
import { getHoverInformation } from 'graphql-language-service'
import * as prettierGraphql from 'prettier/plugins/graphql'
import { format } from 'prettier/standalone'
import { LOOK } from './console-editor-look.js'

const consoleForm = document.getElementById('console')
const schema = buildSchema(document.getElementById('schema')?.textContent ?? '')

if (consoleForm instanceof HTMLFormElement) {
  const [query, variables] = [areaOf(consoleForm, 'query'), areaOf(consoleForm, 'variables')]
  const documentEditor = replace(query, [
    graphql(schema),
    hoverTooltip((view, position) => tooltipOf(view.state, position)),
    showPanel.of(documentationPanel),
  ])
  const variablesEditor = replace(variables, [
    json(),
    linter(jsonParseLinter()),
    linter(() => wrongVariables(query, variables)),
  ])
  addFormatting(consoleForm, [documentEditor, variablesEditor])
  consoleForm.classList.add('edited')
}

/** @param {HTMLFormElement} form @param {string} name @returns {HTMLTextAreaElement} */
function areaOf(form, name) {
  const field = form.elements.namedItem(name)
  if (field instanceof HTMLTextAreaElement) return field
  throw new Error(`the form has no text area ${name}`)
}

/**
 * An editor in the place of a text area. Both always have the same text. It lives in a shadow root: there its styles are
 * style sheets that the Content-Security-Policy allows.
 * @param {HTMLTextAreaElement} area @param {import('@codemirror/state').Extension} language @returns {EditorView}
 */
function replace(area, language) {
  const [label] = area.labels
  const name = label?.textContent ?? ''
  const host = document.createElement('div')
  host.className = 'editor'
  const view = new EditorView({
    root: host.attachShadow({ mode: 'open' }),
    parent: host.shadowRoot ?? host,
    state: EditorState.create({ doc: area.value, extensions: [...common(area, name), language] }),
  })
  area.addEventListener('input', () => {
    const text = view.state.doc.toString()
    if (area.value !== text) view.dispatch({ changes: { from: 0, to: text.length, insert: area.value } })
  })
  label?.addEventListener('click', () => view.focus())
  label?.removeAttribute('for')
  area.after(host)
  area.hidden = true
  return view
}

/** @param {HTMLTextAreaElement} area @param {string} name @returns {import('@codemirror/state').Extension[]} */
function common(area, name) {
  return [
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': name }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (!docChanged || area.value === state.doc.toString()) return
      area.value = state.doc.toString()
      area.dispatchEvent(new Event('input', { bubbles: true }))
    }),
    EditorView.domEventHandlers({ beforeinput: replaceSelected }),
    // No key for Tab: it leaves the editor.
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => send(area) }])),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    LOOK,
  ]
}

/**
 * Types over selected text. Chromium itself would keep its colour in a style attribute, which the Content-Security-Policy
 * does not allow.
 * @param {InputEvent} event @param {EditorView} view
 */
function replaceSelected({ inputType, isComposing, data }, view) {
  if (inputType !== 'insertText' || isComposing || data === null || view.state.selection.main.empty) return false
  view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
  return true
}

/** @param {HTMLTextAreaElement} area */
function send(area) {
  area.form?.requestSubmit()
  return true
}

/** What the schema says about the word at this place; empty where it says nothing. @param {EditorState} state @param {number} position */
function documentationAt(state, position) {
  const said = getHoverInformation(schema, state.doc.toString(), offsetToPos(state.doc, position))
  return typeof said === 'string' ? said.trim() : ''
}

/** @param {EditorState} state @param {number} position @returns {import('@codemirror/view').Tooltip | null} */
function tooltipOf(state, position) {
  const word = state.wordAt(position)
  const text = word === null ? '' : documentationAt(state, word.from)
  if (word === null || text === '') return null
  return { pos: word.from, end: word.to, above: true, create: () => ({ dom: textBox('documentation', text) }) }
}

/** The documentation of the word at the cursor, for those who use no mouse. @param {EditorView} view @returns {import('@codemirror/view').Panel} */
function documentationPanel(view) {
  const dom = textBox('panel', '')
  const show = (/** @type {EditorState} */ state) => {
    const word = state.wordAt(state.selection.main.head)
    dom.textContent =
      (word && documentationAt(state, word.from)) || 'The documentation of the word at the cursor is here.'
  }
  show(view.state)
  dom.tabIndex = 0
  dom.setAttribute('role', 'region')
  dom.setAttribute('aria-label', 'Documentation')
  return { dom, update: ({ docChanged, selectionSet, state }) => (docChanged || selectionSet) && show(state) }
}

/** @param {string} look @param {string} text */
function textBox(look, text) {
  const box = document.createElement('div')
  box.className = look
  box.textContent = text
  return box
}

/**
 * What the schema says against the variables of the first operation.
 * @param {HTMLTextAreaElement} query @param {HTMLTextAreaElement} variables @returns {import('@codemirror/lint').Diagnostic[]}
 */
function wrongVariables(query, variables) {
  try {
    const operation = getOperationAST(parse(query.value)) ?? null
    const inputs = JSON.parse(variables.value || '{}')
    const { errors = [] } = getVariableValues(schema, operation?.variableDefinitions ?? [], inputs)
    const to = variables.value.length
    return errors.map(({ message }) => ({ from: 0, to, severity: 'error', message }))
  } catch {
    // Not GraphQL, or not JSON: other linters say so.
    return []
  }
}

/** @param {HTMLFormElement} form @param {readonly [EditorView, EditorView]} editors */
function addFormatting(form, [documentEditor, variablesEditor]) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Format'
  button.addEventListener('click', () => {
    void change(documentEditor, (text) => format(text, { parser: 'graphql', plugins: [prettierGraphql] }))
    void change(variablesEditor, async (text) => JSON.stringify(JSON.parse(text), null, 2))
  })
  form.addEventListener('keydown', (event) => {
    if (!(event.shiftKey && event.altKey && event.code === 'KeyF')) return
    event.preventDefault()
    button.click()
  })
  form.querySelector('.buttons')?.append(button)
}

/** @param {EditorView} view @param {(text: string) => Promise<string>} formatted */
async function change(view, formatted) {
  const { doc } = view.state
  try {
    const insert = (await formatted(doc.toString())).trimEnd()
    if (view.state.doc.eq(doc)) view.dispatch({ changes: { from: 0, to: doc.length, insert } })
  } catch {
    // What cannot be parsed is underlined already, and stays as it is.
  }
}
