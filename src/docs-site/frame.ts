// Renders the pages of the documentation as HTML. Pure.
import { type Content, type Html, html } from '../values/text/html.ts'
import { LANGUAGES, type Rendered } from './markdown.ts'
import type { Page } from './page.ts'
import type { Found } from './search.ts'

export interface Frame {
  readonly pages: readonly Page[]
  readonly style: string
  readonly query?: string
}

interface FramedPage extends Frame {
  /** The name of the page in the list; '' for none. */
  readonly name: string
  readonly title: string
  readonly main: Content
  readonly aside?: Content
}

function renderFramed({ pages, style, query, name, title, main, aside }: FramedPage): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} · Corridor docs</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}"></head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/docs">Corridor <span>docs</span></a>
<form class="find" action="/docs/search" role="search">
<input type="search" name="q" aria-label="Search the documentation" required maxlength="100"
placeholder="Search guides, countries, errors" value="${query ?? ''}">
<button>Search</button></form>
<a class="door" href="/console">Console</a></header>
<div class="columns">${navigation(pages, name)}
<main id="main" tabindex="-1">${main}</main>${aside}</div></body></html>
`
}

/** The list of pages, twice: a narrow screen shows the second, collapsed one. */
function navigation(pages: readonly Page[], name: string): Html {
  const listed = pages.filter(page => page.unlisted !== true)
  const groups = Object.entries(Object.groupBy(listed, ({ group }) => group))
  const lists = groups.map(
    ([group, theirs = []]) =>
      html`<h2>${group}</h2><ul>${theirs.map(
        page =>
          html`<li><a href="/docs/${page.name}"${
            page.name === name && html` aria-current="page"`
          }>${page.title}</a></li>`,
      )}</ul>`,
  )
  return html`<nav class="side" aria-label="Pages">${lists}</nav>
<details class="pages"><summary>All pages</summary>
<nav aria-label="All pages">${lists}</nav></details>`
}

/** Links to its neighbours and its Markdown. */
export function renderPage(frame: Frame, page: Page, rendered: Rendered, note: Content): Html {
  const { pages } = frame
  const at = pages.indexOf(page)
  const [before, after] = [pages[at - 1], pages[at + 1]]
  const { head, body } = rendered
  const main = html`${rendered.switches && languageSwitch()}
<article>${head}${page.figure}${note}${body}</article>
<nav class="next" aria-label="Next">${
    before && html`<a href="/docs/${before.name}"><small>Before</small>${before.title}</a>`
  }${
    after && html`<a class="after" href="/docs/${after.name}"><small>Next</small>${after.title}</a>`
  }</nav>
<p class="faint"><a href="/docs/${page.name}.md">This page as Markdown</a></p>`
  const aside =
    rendered.headings.length > 1 &&
    html`<aside class="toc"><nav aria-label="On this page"><h2>On this page</h2>
<ul>${rendered.headings.map(
      ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`,
    )}</ul></nav></aside>`
  return renderFramed({ ...frame, name: page.name, title: page.title, main, aside })
}

/** The style sheet reads the radio buttons, so that no script is needed. */
function languageSwitch(): Html {
  return html`<fieldset class="languages"><legend>Language of the code</legend>${LANGUAGES.map(
    ([id, name], i) =>
      html`<input type="radio" name="language" id="in-${id}"${i === 0 && html` checked`}>
<label for="in-${id}">${name}</label>`,
  )}</fieldset>`
}

export function renderHome(frame: Frame): Html {
  const cards = (group: Page['group']) =>
    html`<ul class="cards">${frame.pages
      .filter(page => page.group === group && page.unlisted !== true)
      .map(
        page => html`<li><a href="/docs/${page.name}"><strong>${page.title}</strong>
<span>${page.summary}</span></a></li>`,
      )}</ul>`
  const main = html`<article><h1>Pay across borders</h1>
<p class="lead">Hold balances, quote a payout, pay, and follow it until the money has
arrived. Begin with <a href="/docs/first-payout">your first payout</a>: it takes five minutes
in a sandbox.</p>
<h2>Guides</h2>${cards('Guides')}<h2>Countries</h2>${cards('Countries')}
<h2>Operating</h2>${cards('Operating')}<h2>Reference</h2>${cards('Reference')}
<p class="faint">For programs: <a href="/openapi.json">openapi.json</a>,
<a href="/llms.txt">llms.txt</a>;
every page is Markdown too, at its address with <code>.md</code>.</p></article>`
  return renderFramed({ ...frame, name: '', title: 'Documentation', main })
}

export function renderTry(frame: Frame, title: string, main: Content): Html {
  return renderFramed({ ...frame, name: '', title, main })
}

export function renderSearch(frame: Frame, query: string, { hits, whole }: Found): Html {
  const count = hits.length === 1 ? '1 place' : `${hits.length} places`
  const main = html`<article><h1>Search</h1><p role="status">${
    whole
      ? html`${count} for <strong>${query}</strong>, the best first`
      : html`Nothing has all of these words: <strong>${query}</strong>. ${
          hits.length === 0 ? 'Use other words.' : 'These places have some of them.'
        }`
  }</p><ol class="hits">${hits.map(
    ({ title, group, place, excerpt }) => html`<li><a href="/docs/${place}">${title}</a>
<small>${group}</small><p>${excerpt}</p></li>`,
  )}</ol></article>`
  return renderFramed({ ...frame, name: 'search', title: `Search: ${query}`, query, main })
}
