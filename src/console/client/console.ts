// Adds to pages in the browser: times in the reader's zone, countdowns, buttons that copy or show a
// text, and changes as they happen. Every page works without it.

const UNITS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** With UTC beside it. */
function showTimes(root: ParentNode): void {
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  for (const element of root.querySelectorAll<HTMLTimeElement>('time:not([title])')) {
    const at = new Date(element.dateTime)
    if (Number.isNaN(at.getTime())) continue
    element.title = `${element.dateTime} (${ago(at)} when the page was made)`
    if (element.dataset.short !== undefined) {
      element.textContent = short.format(at)
      continue
    }
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
    const text = left > 0 ? `${minutes}:${String(left % 60).padStart(2, '0')} left` : 'expired'
    if (element.textContent !== text) element.textContent = text
  }
}

function addCopyButtons(root: ParentNode): void {
  for (const figure of root.querySelectorAll('figure.code:not(:has(button))')) {
    const caption = figure.querySelector('figcaption')
    const text = () => figure.querySelector('pre')?.textContent ?? ''
    caption?.append(copyButton(`Copy ${caption.textContent}`, text))
  }
  for (const place of root.querySelectorAll<HTMLElement>('[data-copy]:empty')) {
    const { copy = '', name = 'Copy', label = name, path } = place.dataset
    const button = copyButton(name, () => (path === undefined ? copy : location.origin + copy))
    if (label !== name) button.setAttribute('aria-label', label)
    place.append(button)
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

/** A search form that names its results shows them as the person types. */
function findAsTyped(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-finds]')) {
    let asked = 0
    form.addEventListener('input', async () => {
      asked += 1
      const mine = asked
      await new Promise(resolve => setTimeout(resolve, TYPING_MS))
      if (mine !== asked) return
      const entries = [...new FormData(form)].map(([name, value]) => [name, String(value)])
      const answer = await fetch(`${form.action}?${new URLSearchParams(entries)}`)
      if (answer.redirected || !answer.ok || mine !== asked) return
      const found = new DOMParser().parseFromString(await answer.text(), 'text/html')
      for (const id of [form.dataset.finds ?? '', `${form.dataset.finds}-count`]) {
        const fresh = found.getElementById(id)
        if (fresh) enhance(fresh)
        if (fresh) document.getElementById(id)?.replaceChildren(...fresh.childNodes)
      }
    })
  }
}

/** So long after a key the person has stopped typing. */
const TYPING_MS = 200

/** The file input names the text area. */
function addFileInputs(root: ParentNode): void {
  for (const input of root.querySelectorAll<HTMLInputElement>('input[data-into]')) {
    input.hidden = false
    input.addEventListener('change', async () => {
      const into = document.getElementById(input.dataset.into ?? '')
      const called = document.getElementById(input.dataset.nameInto ?? '')
      const [file] = input.files ?? []
      // sheet.ts reads workbooks.
      if (file === undefined || file.name.toLowerCase().endsWith('.xlsx')) return
      if (into instanceof HTMLTextAreaElement) into.value = textOf(await file.arrayBuffer())
      if (called instanceof HTMLInputElement) called.value = file.name
    })
  }
}

/** By its mark of UTF-16, or what its XML declares, or as UTF-8; else as Windows writes it. */
function textOf(bytes: ArrayBuffer): string {
  const head = new TextDecoder('windows-1252').decode(bytes.slice(0, 200))
  const marked = head.startsWith('ÿþ') ? 'utf-16le' : head.startsWith('þÿ') ? 'utf-16be' : ''
  const declared = /^(?:ï»¿)?<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1]
  for (const encoding of [marked || (declared ?? 'utf-8'), 'utf-8']) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {}
  }
  return new TextDecoder('windows-1252').decode(bytes)
}

/** Beside each password: a button that shows it. The label's text stays the name of the field. */
function addShowButtons(root: ParentNode): void {
  for (const input of root.querySelectorAll<HTMLInputElement>('input[type=password]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    const set = (isShown: boolean) => {
      input.type = isShown ? 'text' : 'password'
      button.textContent = isShown ? 'Hide the password' : 'Show the password'
    }
    set(false)
    button.addEventListener('click', () => set(input.type === 'password'))
    const place = input.closest('label') ?? input
    place.after(button)
    // A browser keeps what was typed into a text field.
    input.form?.addEventListener('submit', () => set(false))
  }
}

/** The form's Idempotency-Key would make a second click harmless, too. */
function guardForms(): void {
  document.addEventListener('submit', event => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
    if (form.dataset.sent === 'yes') event.preventDefault()
    form.dataset.sent = 'yes'
    form.setAttribute('aria-busy', 'true')
  })
  // The browser may show a page again from its memory; its forms can then be sent again.
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form')) delete form.dataset.sent
  })
}

/** `/` puts the cursor into the search box. */
function addShortcut(): void {
  document.addEventListener('keydown', event => {
    const { target } = event
    const isTyping =
      target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    const box = document.querySelector<HTMLInputElement>('.find input')
    box?.focus()
    if (box) event.preventDefault()
  })
}

/** On a narrow screen a row is a card, whose cells say the names of their columns. */
function nameCells(root: ParentNode): void {
  for (const table of root.querySelectorAll<HTMLTableElement>(
    '.scroll > table:not(.sides table)',
  )) {
    const names = Array.from(table.tHead?.rows[0]?.cells ?? [], cell => cell.textContent)
    for (const row of table.tBodies[0]?.rows ?? []) {
      Array.from(row.cells).forEach((cell, i) => {
        if (names[i]) cell.dataset.name = names[i]
      })
    }
  }
}

function enhance(root: ParentNode): void {
  nameCells(root)
  showTimes(root)
  addCopyButtons(root)
  addFileInputs(root)
  addShowButtons(root)
}

const news = document.getElementById('news')
let changes = 0
/** The page does not know what has changed. */
let isVague = false

function showNews(text: string, link?: string): void {
  if (news === null) return
  news.replaceChildren(text)
  if (link === undefined) return
  const shown = document.createElement('a')
  shown.href = location.href
  shown.textContent = link
  news.append(' ', shown)
}

/** Offers a link while the reader is busy in the page. */
async function refresh(): Promise<void> {
  const part = document.querySelector('[data-live-part]')
  if (document.hidden) {
    document.addEventListener('visibilitychange', refresh, { once: true })
    return
  }
  // A row under the pointer must not move, either.
  const isBusy = part?.querySelector(`[aria-busy], details[open], :focus, input:user-valid,
    tr:hover, li:hover`)
  if (part === null || isBusy || Date.now() - lastActivity > ACTIVE_MS)
    return showNews('This page has changed.', 'Show the changes')
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (answer.redirected) location.reload()
  if (!answer.ok) return
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const fresh = next.querySelector('[data-live-part]')
  if (fresh === null) return
  enhance(fresh)
  part.replaceWith(fresh)
}

/** A reader who does nothing for this long is away: no refresh keeps the session open. */
const ACTIVE_MS = 600_000
let lastActivity = Date.now()
for (const name of ['pointermove', 'keydown', 'scroll']) {
  addEventListener(name, () => (lastActivity = Date.now()), { passive: true })
}

let refreshing: ReturnType<typeof setTimeout> | undefined

/** A list moves no row; other pages refresh. */
function showChanges(ids: readonly string[]): void {
  const watched = document.body.dataset.of ?? ''
  // `*` in place of an id: something has changed.
  const wanted = ids.filter(
    id =>
      id === watched ||
      watched === '*' ||
      id === '*' ||
      (watched.endsWith('_') && id.startsWith(watched)),
  )
  if (wanted.length === 0) return
  changes += wanted.length
  if (wanted.includes('*')) isVague = true
  if (document.querySelector('[data-live-part]') === null) {
    if (isVague) showNews('Something has changed.', 'Show it')
    else showNews(changes === 1 ? '1 change.' : `${changes} changes.`, 'Show them')
    return
  }
  clearTimeout(refreshing)
  refreshing = setTimeout(refresh, 100)
}

interface Message {
  /** The objects that have changed. */
  readonly ids?: readonly string[]
  /** The number of the last change that the stream has sent. */
  readonly at?: number
  /** Whether a new tab asks for that number. */
  readonly hello?: boolean
  /** Whether the service does not answer. */
  readonly lost?: boolean
  /** Whether the session is over. */
  readonly over?: boolean
}

/** One tab reads the stream for all tabs, as a browser opens few connections. */
function listen(): void {
  const { live, seen = '0' } = document.body.dataset
  if (live === undefined) return
  const tabs = new BroadcastChannel(live)
  let last = Number(seen)
  let isReader = false
  const receive = ({ ids, at = 0, hello, lost, over }: Message) => {
    if (hello) {
      if (isReader) tabs.postMessage({ at: last })
    } else if (over) location.reload()
    else if (lost) showNews('Corridor does not answer. This page updates again when it does.')
    else if (ids !== undefined) showChanges(ids)
    // Something changed after the page was made and before its first message.
    else if (at > last) showNews('Something has changed.', 'Show it')
    else if (at === 0) news?.replaceChildren()
    last = Math.max(last, at)
  }
  tabs.addEventListener('message', ({ data }) => receive(data))
  const broadcast = (message: Message) => {
    tabs.postMessage(message)
    receive(message)
  }
  tabs.postMessage({ hello: true })
  // The tab holds the lock until it is closed. Then the next tab gets it.
  void navigator.locks.request(live, () => {
    isReader = true
    follow(() => `${live}?after=${last}`, broadcast)
    return new Promise(() => {})
  })
}

const AGAIN_MS = 3000

/** Opens the stream again after the service did not answer. After the session all tabs reload. */
function follow(live: () => string, broadcast: (message: Message) => void): void {
  const stream = new EventSource(live())
  let wasLost = false
  stream.addEventListener('changed', ({ data, lastEventId }) => {
    broadcast({ ids: JSON.parse(data), at: Number(lastEventId) })
  })
  stream.addEventListener('over', () => {
    stream.close()
    broadcast({ over: true })
  })
  stream.addEventListener('open', () => {
    if (wasLost) broadcast({})
    wasLost = false
  })
  stream.addEventListener('error', async () => {
    wasLost = true
    // The browser connects again by itself, unless the answer was no stream.
    if (stream.readyState !== EventSource.CLOSED) {
      broadcast({ lost: true })
      return
    }
    const page = await fetch(location.href, { method: 'HEAD' }).catch(() => undefined)
    if (page?.redirected) broadcast({ over: true })
    else setTimeout(() => follow(live, broadcast), AGAIN_MS)
  })
}

/** The server reads days in the reader's zone from this cookie. */
function tellZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const cookie = `corridor-zone=${timeZone}`
  const isKept = () => document.cookie.split('; ').includes(cookie)
  if (isKept()) return
  // biome-ignore lint/suspicious/noDocumentCookie: a cookie store needs HTTPS.
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax`
  const { zone = timeZone } = document.body.dataset
  if (zone !== timeZone && isKept()) location.reload()
}

/** On a narrow screen the screens stand in one long line: it begins with the present one. */
function showPlace(): void {
  const place = document.querySelector<HTMLElement>('nav [aria-current]')
  const line = place?.closest('nav')
  if (place && line) line.scrollLeft = place.offsetLeft - line.offsetLeft
}

tellZone()
showPlace()
enhance(document)
countDown()
setInterval(countDown, 1000)
guardForms()
findAsTyped()
addShortcut()
listen()
