"""The server of the browser's page: the answers of `wire.view` over HTTP, and the page itself.

The page is TypeScript in `web/`, built by Vite into the folder `page` beside this file, with Preact and signals:
small, typed, and a signal that changes draws again only what reads it. All that a link must restore is the `Place`
(`web/src/state/place.ts`), which is kept in the address after `#`; what panels share of the trace is in
`web/src/state/store.ts`. A panel reads signals, asks `answers` (`web/src/api/`: a server, or what was saved in the
page) and moves with `go`; panels know nothing of each other. `web/src/state/load.ts` brings the chosen event and the
findings, `web/src/state/live.ts` follows a running program by a long poll, until one looks at something.

What can be computed without a browser (layouts, scrolling, words) is in modules without JSX, with unit tests under
`web/tests`; `tests/e2e/page` drives the real page. The types in `web/src/api/schema.d.ts` are made from the server's
description of itself, with a test that they are fresh.
"""
