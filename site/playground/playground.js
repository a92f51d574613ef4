import { FAULTS, STORIES } from './stories.js'
import { verdictOf } from './verdict.js'

const PAGE = `
  <nav aria-label="Stories"></nav>
  <p class="text"></p>
  <div class="bar">
    <button class="run">Run</button> <button class="twice">Run two at once</button> <button class="reset">Start over</button>
    <p class="verdict" role="status"></p>
  </div>
  <div class="halves">
    <textarea aria-label="Program" spellcheck="false" autocapitalize="off" autocomplete="off"></textarea>
    <div>
      <pre role="log" aria-label="Console" tabindex="0"></pre>
      <p><label>The service <select>${FAULTS.map(({ name }) => `<option>${name}</option>`).join('')}</select></label>
        <button class="later">15 days later</button> <time></time></p>
      <h2>E-mails</h2><ul class="mails"></ul>
      <h2>Ledger</h2><ul class="records"></ul>
      <h2>Requests</h2><ul class="requests"></ul>
    </div>
  </div>`

/**
 * Fills an element with the playground, at the story that the address names.
 *
 * @param {HTMLElement} root
 * @returns a function that ends it
 */
export function mount(root) {
  root.innerHTML = PAGE
  const find = (selector) => root.querySelector(selector)
  const [program, output, select] = [find('textarea'), find('pre'), find('select')]
  let story, worker, waiting

  function print(text, className) {
    output.append(make('span', { className }, `${text}\n`))
    output.scrollTop = output.scrollHeight
  }

  /* A new service and a new ledger: whatever ran is ended. */
  function start() {
    worker?.terminate()
    worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    waiting = new Map()
    worker.addEventListener('message', ({ data: { id, exit, line, level, state } }) => {
      if (state !== undefined) show(state)
      else if (id !== undefined) waiting.get(id)(exit)
      else print(line, level)
    })
    worker.addEventListener('error', ({ message }) => print(`The playground has failed: ${message}`, 'error'))
    output.replaceChildren()
    void send('fault', story.fault).then(() => root.setAttribute('data-ready', ''))
  }

  const send = (order, value) =>
    new Promise((resolve) => {
      const id = waiting.size
      waiting.set(id, resolve)
      worker.postMessage({ id, order, value })
    })

  async function run() {
    const { id } = story
    print(`$ node ${id}.mjs`, 'command')
    print(`exit ${await send('run', program.value)}`, 'command')
  }

  function show(state) {
    const { text, isBad, twice } = verdictOf(state)
    const verdict = find('.verdict')
    /* The same sentence is not announced again. */
    if (verdict.textContent !== text) verdict.textContent = text
    verdict.classList.toggle('bad', isBad)
    find('time').textContent = state.date
    select.selectedIndex = FAULTS.findIndex(({ rule }) => rule?.fault === state.fault)
    const { mails, requests, records } = state
    fill('.mails', mails, ({ to, isOpen }) => [
      to === twice ? 'bad' : '',
      `To ${to}: its link ${isOpen ? 'is open' : 'has expired'}`,
    ])
    fill('.requests', requests, ({ operation = 'unknown operation', status, created }) => {
      const response = status === null ? 'the response was lost' : `HTTP ${status}`
      const effect = created > 0 ? ', an invite was created' : ''
      return [status === 200 ? '' : 'failed', `${operation.replace('developer', '')}: ${response}${effect}`]
    })
    fill('.records', records, (record) => recordLine(record, mails))
  }

  const fill = (selector, list, lineOf) => {
    const items = list.map(lineOf).map(([className, ...parts]) => make('li', { className }, ...parts))
    find(selector).replaceChildren(...(items.length > 0 ? items : [make('li', {}, 'none')]))
  }

  /* A person who decides asks the candidate, and records the link of the e-mail. */
  function recordLine({ reference, sentAt, email, state, code }, mails) {
    const text = `${reference}, ${email}: ${state}`
    if (state !== 'unknown') return ['', text]
    const mail = mails.find(({ to }) => to === email)
    const exists = mail ? { created: mail.inviteId, challengeUrls: [mail.challengeUrl] } : { created: [] }
    const answer = (words, finding) =>
      button(words, () => send('resolve', { reference, finding: { ...finding, of: sentAt, by: 'playground' } }))
    const answers = [answer('“I have an e-mail”', exists), ' ', answer('“I have none”', { notCreated: true })]
    return ['unknown', `${text} (${code}). `, make('div', {}, 'They say: ', ...answers)]
  }

  function tell(next) {
    story = next
    for (const [index, { id }] of STORIES.entries()) find('nav').children[index].ariaPressed = String(id === story.id)
    find('.text').textContent = story.text
    program.value = story.code.trimEnd()
    grow()
    start()
  }

  function grow() {
    program.rows = program.value.split('\n').length
  }

  const choose = (next) => {
    history.replaceState(history.state, '', `?story=${next.id}`)
    tell(next)
  }
  find('nav').append(...STORIES.map((each) => button(each.name, () => choose(each))))
  on(find('.run'), 'click', run)
  on(find('.twice'), 'click', () => Promise.all([run(), run()]))
  on(find('.reset'), 'click', start)
  on(find('.later'), 'click', () => send('advance', '15d'))
  on(select, 'change', () => send('fault', FAULTS[select.selectedIndex].rule))
  on(program, 'input', grow)
  const asked = new URLSearchParams(location.search).get('story')
  tell(STORIES.find(({ id }) => id === asked) ?? STORIES[0])
  return () => worker.terminate()
}

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

function button(text, act) {
  const element = make('button', {}, text)
  on(element, 'click', act)
  return element
}

const on = (element, event, act) => element.addEventListener(event, () => void act())
