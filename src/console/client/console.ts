// What the console's pages do in a browser besides links and forms: times in the reader's zone, a
// price that counts down, copying, and changes as they happen. Without it every page still works.

const UNITS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** Shows times in the reader's zone, with UTC beside it. */
function showTimes(root: ParentNode): void {
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  for (const element of root.querySelectorAll<HTMLTimeElement>('time:not([title])')) {
    const at = new Date(element.dateTime)
    if (Number.isNaN(at.getTime())) continue
    element.title = `${element.dateTime} (${ago(at)} when the page was made)`
    if (at.getTimezoneOffset() === 0) continue
    const utc = document.createElement('small')
    utc.textContent = ` ${element.dateTime.slice(11, 16)} UTC`
    element.replaceChildren(local.format(at), utc)
  }
}

function ago(at: Date): string {
  const seconds = (at.getTime() - Date.now()) / 1000
  const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
  for (const [size, unit] of UNITS) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit)
  }
  return words.format(Math.trunc(seconds), 'second')
}

function countDown(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-until]')) {
    const left = Math.trunc((Date.parse(element.dataset.until ?? '') - Date.now()) / 1000)
    const minutes = Math.trunc(left / 60)
    const text = left > 0 ? `${minutes}:${String(left % 60).padStart(2, '0')} left` : 'over'
    if (element.textContent !== text) element.textContent = text
  }
}

function addCopying(root: ParentNode): void {
  for (const figure of root.querySelectorAll('figure.code:not(:has(button))')) {
    const caption = figure.querySelector('figcaption')
    const text = () => figure.querySelector('pre')?.textContent ?? ''
    caption?.append(copyButton(`Copy ${caption.textContent}`, text))
  }
  for (const place of root.querySelectorAll<HTMLElement>('[data-copy]:empty')) {
    const { copy = '', name = 'Copy' } = place.dataset
    place.append(copyButton(name, () => (copy.startsWith('/') ? location.origin + copy : copy)))
  }
}

function copyButton(name: string, text: () => string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = name
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text())
    button.textContent = 'Copied'
  })
  return button
}

/** Puts a chosen file into the text field that it is for. */
function addFiles(root: ParentNode): void {
  for (const input of root.querySelectorAll<HTMLInputElement>('input[data-into]')) {
    input.hidden = false
    input.addEventListener('change', async () => {
      const into = document.getElementById(input.dataset.into ?? '')
      const [file] = input.files ?? []
      if (file !== undefined && into instanceof HTMLTextAreaElement) into.value = await file.text()
    })
  }
}

/** Makes a second click send nothing. The key of the form makes it harmless anyway. */
function guardForms(): void {
  document.addEventListener('submit', event => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
    if (form.dataset.sent === 'yes') event.preventDefault()
    form.dataset.sent = 'yes'
    form.setAttribute('aria-busy', 'true')
  })
  // A page that comes back from the browser's memory can be sent again.
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form')) delete form.dataset.sent
  })
}

function addKeys(): void {
  document.addEventListener('keydown', event => {
    const { target } = event
    const writes = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    if (event.key !== '/' || writes || event.ctrlKey || event.metaKey) return
    const box = document.querySelector<HTMLInputElement>('.find input')
    box?.focus()
    if (box) event.preventDefault()
  })
}

function enhance(root: ParentNode): void {
  showTimes(root)
  addCopying(root)
  addFiles(root)
}

const news = document.getElementById('news')
let count = 0
let isVague = false

function tell(text: string, link?: string): void {
  if (news === null) return
  news.replaceChildren(text)
  if (link === undefined) return
  const shown = document.createElement('a')
  shown.href = location.href
  shown.textContent = link
  news.append(' ', shown)
}

/** Puts the new state into the page if nobody is writing there; otherwise offers it. */
async function renew(): Promise<void> {
  const part = document.querySelector('[data-live-part]')
  if (document.hidden) {
    document.addEventListener('visibilitychange', renew, { once: true })
    return
  }
  // A row must not move from under the pointer either.
  const isBusy = part?.querySelector(`[aria-busy], details[open], :focus, input:user-valid,
    tr:hover, li:hover`)
  if (part === null || isBusy || Date.now() - touched > LOOKED_AT_MS)
    return tell('This has changed.', 'Show it')
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (answer.redirected) location.reload()
  if (!answer.ok) return
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const fresh = next.querySelector('[data-live-part]')
  if (fresh === null) return
  enhance(fresh)
  part.replaceWith(fresh)
}

/** A page that nobody looks at does not renew itself, so it does not keep the session open. */
const LOOKED_AT_MS = 600_000
let touched = Date.now()
for (const name of ['pointermove', 'keydown', 'scroll']) {
  addEventListener(name, () => (touched = Date.now()), { passive: true })
}

let renewing: ReturnType<typeof setTimeout> | undefined

/** Objects have changed. A list shows how many and moves no row; other pages renew themselves. */
function changed(ids: readonly string[]): void {
  const of = document.body.dataset.of ?? ''
  // `*` instead of ids: something is new.
  const wanted = ids.filter(
    id => id === of || of === '*' || id === '*' || (of.endsWith('_') && id.startsWith(of)),
  )
  if (wanted.length === 0) return
  count += wanted.length
  if (wanted.includes('*')) isVague = true
  if (document.querySelector('[data-live-part]') === null) {
    if (isVague) tell('Something has changed.', 'Show it')
    else tell(count === 1 ? '1 change.' : `${count} changes.`, 'Show them')
    return
  }
  clearTimeout(renewing)
  renewing = setTimeout(renew, 100)
}

/** What one tab tells the others. */
interface Message {
  /** Objects that have changed. */
  readonly ids?: readonly string[]
  /** The number of the last event that was told. */
  readonly at?: number
  /** Whether a tab was opened that asks for that number. */
  readonly hello?: boolean
  /** Whether the service is away. */
  readonly lost?: boolean
  /** Whether the session is over. */
  readonly over?: boolean
}

/** One tab of an account listens and tells the others, as a browser has few connections. */
function listen(): void {
  const { live, seen = '0' } = document.body.dataset
  if (live === undefined) return
  const tabs = new BroadcastChannel(live)
  let last = Number(seen)
  let leads = false
  const receive = ({ ids, at = 0, hello, lost, over }: Message) => {
    if (hello) {
      if (leads) tabs.postMessage({ at: last })
    } else if (over) location.reload()
    else if (lost) tell('Corridor does not answer. This page goes on when it does.')
    else if (ids !== undefined) changed(ids)
    // Something happened between this page and its first message.
    else if (at > last) tell('Something has changed.', 'Show it')
    else if (at === 0) news?.replaceChildren()
    last = Math.max(last, at)
  }
  tabs.addEventListener('message', ({ data }) => receive(data))
  const say = (message: Message) => {
    tabs.postMessage(message)
    receive(message)
  }
  tabs.postMessage({ hello: true })
  // Held while the tab is open. Then the next tab gets it.
  void navigator.locks.request(live, () => {
    leads = true
    follow(() => `${live}?after=${last}`, say)
    return new Promise(() => {})
  })
}

const AGAIN_MS = 3000

/**
 * Listens, and listens again after the service was away. When the session is over, it leads to
 * log-in.
 */
function follow(live: () => string, say: (message: Message) => void): void {
  const stream = new EventSource(live())
  let wasLost = false
  stream.addEventListener('changed', ({ data, lastEventId }) => {
    say({ ids: JSON.parse(data), at: Number(lastEventId) })
  })
  stream.addEventListener('over', () => {
    stream.close()
    say({ over: true })
  })
  stream.addEventListener('open', () => {
    if (wasLost) say({})
    wasLost = false
  })
  stream.addEventListener('error', async () => {
    wasLost = true
    // The browser connects again by itself, unless the answer was no stream.
    if (stream.readyState !== EventSource.CLOSED) {
      say({ lost: true })
      return
    }
    const page = await fetch(location.href, { method: 'HEAD' }).catch(() => undefined)
    if (page?.redirected) say({ over: true })
    else setTimeout(() => follow(live, say), AGAIN_MS)
  })
}

enhance(document)
countDown()
setInterval(countDown, 1000)
guardForms()
addKeys()
listen()
