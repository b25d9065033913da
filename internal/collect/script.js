// The script of pages. It keeps nothing in the browser: no cookie, no storage. `make script` makes script.min.js of it, which must have at
// most 1,024 bytes once it is gzipped.
//
//   <script defer src="https://in.example/hello.js" data-site="shop.example"></script>
//   footfall('signup', {name: 'newsletter', value: 39.9, properties: {plan: 'pro'}})
(() => {
  const me = document.currentScript
  const to = me.src.replace(/\.js(\?.*)?$/, '')
  const now = () => performance.now()
  let page, shownSince, shown, depth, counted

  // post sends an event until it is taken or refused, for ten minutes at most: a tab may sleep for longer than the window of duplicates.
  // The collector finds the event's time by how long ago it was: clocks of visitors are wrong.
  const post = (event, at, tries) => {
    if (now() - at > 6e5) return
    const again = () => setTimeout(post, 1000 << tries, event, at, tries + 1)
    fetch(to, {method: 'POST', keepalive: true, credentials: 'omit', body: JSON.stringify({...event, ago: Math.round(now() - at)})})
      .then((answer) => answer.status > 499 && again(), again)
  }

  // An id is 128 random bits: a retry counts once. Sums such as 0.1 + 0.2 have more than the six places that a value may have.
  const send = (type, more) => post({
    siteId: me.dataset.site || location.hostname, type, url: page,
    id: [...crypto.getRandomValues(new Uint8Array(16))].map((b) => (b + 256).toString(16).slice(1)).join(''), ...more,
    value: more?.value && +(+more.value).toFixed(6),
  }, now(), 0)

  const look = () => {
    const e = document.documentElement
    depth = Math.max(depth, Math.min(100, Math.round((scrollY + innerHeight) / e.scrollHeight * 100)))
  }

  // leave says how the page was read since the page view or the last time.
  const leave = () => {
    look()
    if (shownSince !== undefined) shown += now() - shownSince
    shownSince = undefined
    if (shown >= 1000 || depth > counted) send('engagement', {properties: {engagementMs: Math.round(shown), scroll: counted = depth}})
    shown = 0
  }
  const show = () => {
    if (document.visibilityState == 'visible') shownSince ??= now()
    else leave()
  }

  // view counts a page, also behind #/ and #!; another # leads to a place of the same page. Pages call pushState before they are shown, too.
  const view = () => {
    const address = location.href.replace(/#(?![!/]).*/, '')
    if (document.prerendering || page == address) return
    if (page) leave()
    const referrer = page || document.referrer
    page = address
    shown = depth = counted = 0
    send('page_view', {referrer, title: document.title})
    look()
    counted = depth
    show()
  }

  addEventListener('scroll', look, {passive: true})
  addEventListener('pagehide', leave)
  addEventListener('pageshow', (e) => {
    if (e.persisted) {
      page = ''
      view()
    }
  })
  addEventListener('popstate', view)
  document.addEventListener('visibilitychange', show)
  for (const name of ['pushState', 'replaceState']) {
    const original = history[name]
    history[name] = function () {
      original.apply(this, arguments)
      view()
    }
  }
  document.addEventListener('click', (e) => {
    const a = e.target.closest?.('a[href]')
    if (!a || !/^http/.test(a.href)) return
    const properties = {href: a.href}
    if (/\.(pdf|zip|gz|dmg|exe|apk|docx?|xlsx?|pptx?|csv|mp[34]|epub)$/i.test(a.pathname)) send('download', {properties})
    else if (a.host != location.host) send('outbound', {properties})
  }, true)

  window.footfall = send
  document.addEventListener('prerenderingchange', view)
  view()
})()
