'use strict';
// The pages need no script. This one saves loading a page again for a tab or a letter of a search, and adds keys.
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Hidden characters are spelled out, as in the rest of the page.
  const plain = text => text.replace(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, c => '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));

  // Texts of the page have {0}, {1} in the places of what the script puts there.
  // {visitor|visitors} is the form that goes with what is before it.
  const filled = (text, ...about) => {
    let number = about[0];
    return text.replace(/\{(\d)\}|\{([^|}]*)\|([^|}]*)\}/g, (_, n, one, more) => n ? number = about[n] : isOne(number) ? one : more);
  };
  const isOne = number => number === '1' || number === '0' && document.documentElement.lang === 'fr';

  // Tabs. All panels of a card are in the page; the address names the one that is shown.
  const cards = all('[data-tabs]');
  function showTabs() {
    const named = new URLSearchParams(location.search);
    for (const card of cards) {
      const tabs = all('[data-tab]', card);
      const shown = named.get(card.dataset.tabs) ?? tabs[0].dataset.tab;
      for (const tab of tabs) {
        if (tab.dataset.tab === shown) tab.setAttribute('aria-current', 'true');
        else tab.removeAttribute('aria-current');
      }
      for (const panel of all('[data-panel]', card)) panel.hidden = panel.dataset.panel !== shown;
    }
    for (const link of all('a[href]')) keepTabs(link, named);
    for (const form of all('.ranges form')) for (const card of cards) keepInput(form, card.dataset.tabs, named);
  }
  // keepTabs has a link to this page keep the tabs that are shown. A tab's own link changes its card's alone.
  function keepTabs(link, named) {
    const to = new URL(link.getAttribute('href'), location.href); // Of a link in the graph, href is no text.
    if (to.origin !== location.origin || to.pathname !== location.pathname) return;
    for (const card of cards) {
      const name = card.dataset.tabs;
      if (link.dataset.tab && card.contains(link)) continue;
      if (named.has(name)) to.searchParams.set(name, named.get(name));
      else to.searchParams.delete(name);
    }
    link.setAttribute('href', to.pathname + to.search + to.hash);
  }
  function keepInput(form, name, named) {
    let input = one(`input[name="${name}"]`, form);
    if (!named.has(name)) return input?.remove();
    if (!input) {
      input = document.createElement('input');
      input.type = 'hidden';
      input.name = name;
      form.prepend(input);
    }
    input.value = named.get(name);
  }
  if (cards.length) {
    addEventListener('popstate', showTabs);
    addEventListener('click', e => {
      const tab = e.target.closest('[data-tab]');
      if (!tab || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
      e.preventDefault();
      const to = new URL(tab.href);
      if (to.search !== location.search) history.pushState(null, '', to.pathname + to.search);
      showTabs();
    });
  }

  // The graph: arrow keys move from bucket to bucket, and a range that is drawn with the mouse is shown.
  const graph = one('.graph');
  if (graph) {
    const points = all('.point', graph);
    const picked = (a, b) => points.forEach((p, i) => p.classList.toggle('picked', a >= 0 && i >= Math.min(a, b) && i <= Math.max(a, b)));
    graph.addEventListener('keydown', e => {
      const at = points.indexOf(document.activeElement);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: points.length - 1 }[e.key];
      if (at < 0 || to === undefined) return;
      e.preventDefault();
      e.stopPropagation();
      const next = points[Math.max(0, Math.min(points.length - 1, to))];
      points.forEach(p => p.setAttribute('tabindex', p === next ? 0 : -1));
      next.focus();
    });
    let first = -1, last = -1;
    const pointed = e => points.indexOf(e.target.closest?.('.point'));
    graph.addEventListener('dragstart', e => e.preventDefault());
    graph.addEventListener('pointerdown', e => {
      if (e.pointerType === 'mouse' && !e.button) first = last = pointed(e);
    });
    graph.addEventListener('pointermove', e => {
      const at = pointed(e);
      if (first < 0 || at < 0) return;
      last = at;
      if (last !== first) picked(first, last);
    });
    addEventListener('pointerup', () => {
      if (first >= 0 && last !== first) {
        const [a, b] = [points[Math.min(first, last)], points[Math.max(first, last)]];
        const to = new URL(graph.dataset.zoom, location.href);
        to.searchParams.set('from', a.dataset.from);
        to.searchParams.set('to', b.dataset.to);
        location.assign(to);
      }
      first = -1;
    });
    graph.addEventListener('click', e => { if (one('.picked', graph)) e.preventDefault(); });
  }

  // Rows that are clicked while Shift is held are picked. When it is released, the page is filtered by any of their values. A link's last
  // filter is that of its row.
  const picks = new Set();
  const rowLink = e => e.shiftKey && e.target.closest?.('th[scope="row"] a[href*="where="]');
  const unpick = () => {
    picks.forEach(link => link.closest('tr').classList.remove('picked'));
    picks.clear();
  };
  addEventListener('mousedown', e => { if (rowLink(e)) e.preventDefault(); }); // Text would be selected.
  addEventListener('click', e => {
    const link = rowLink(e);
    if (!link || e.button || e.metaKey || e.ctrlKey || e.altKey) return;
    e.preventDefault();
    if (link.closest('tr').classList.toggle('picked')) picks.add(link);
    else picks.delete(link);
  });
  addEventListener('keyup', e => {
    if (e.key !== 'Shift' || !picks.size) return;
    const rows = [...picks].map(link => new URL(link.href)), to = rows[0], filters = to.searchParams.getAll('where').slice(0, -1);
    for (const filter of rows.map(row => row.searchParams.getAll('where').at(-1))) {
      const by = filter.slice(0, filter.indexOf('=') + 1), at = filters.findIndex(f => f.startsWith(by));
      if (at < 0) filters.push(filter);
      else filters[at] = by + [filters[at], filter].map(f => f.slice(by.length) || '""').join();
    }
    to.searchParams.delete('where');
    for (const filter of filters) to.searchParams.append('where', filter);
    unpick();
    location.assign(to);
  });
  addEventListener('blur', unpick);

  // What happens now, while the page can be seen: from a stream, or asked for again where there is none. It is shown by the card of a site's
  // page, or by the list of all pages.
  const now = one('[data-realtime]');
  if (now) {
    const card = one('#now'), language = document.documentElement.dataset.language || 'en', number = n => n.toLocaleString(language);
    const minute = card && new Intl.DateTimeFormat('en-GB', { timeZone: one('[data-minutes-zone]', card).dataset.minutesZone,
      hour: '2-digit', minute: '2-digit' });
    function show(answer) {
      if (now !== card) {
        const n = now.textContent = number(answer.currentVisitors), noun = now.nextElementSibling;
        noun.textContent = filled(noun.dataset.text, n);
      }
      if (!card) return;
      const against = one('.against', card);
      against.textContent = filled(against.dataset.text, number(answer.currentVisitors), number(answer.pageViews));
      const span = one('.span', card);
      if (span) span.textContent = [answer.from, answer.to].map(at => minute.format(Date.parse(at))).join(' – ');
      const views = new Map(answer.series.map(m => [Date.parse(m.start) / 60000, m.pageViews]));
      const bars = all('.minutes rect', card), first = Math.floor(Date.parse(answer.to) / 60000) - bars.length;
      const most = Math.max(1, ...views.values());
      bars.forEach((bar, i) => {
        const n = views.get(first + i) ?? 0;
        bar.setAttribute('y', 40 - 40 * n / most);
        bar.setAttribute('height', 40 * n / most);
        one('title', bar).textContent = `${minute.format((first + i) * 60000)}: ${number(n)}`;
      });
      const table = one('table', card), pages = answer.activePages.slice(0, Number(table.dataset.most));
      if (table.contains(document.activeElement)) return; // It would lose the focus.
      one('tbody', table).replaceChildren(...pages.map(p => pageRow(p, pages[0].pageViews, answer.pageViews)));
      const others = pages.reduce((rest, p) => rest - p.pageViews, answer.pageViews), rest = one('.rest', table);
      rest.hidden = others <= 0;
      one('td', rest).textContent = number(others);
      const share = one('.share', rest);
      if (share) share.textContent = percent(others, answer.pageViews);
      table.hidden = !pages.length;
      one('.empty', card).hidden = pages.length > 0;
    }
    const percent = (part, all) => all ? `${(100 * part / all).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} %` : '';
    function pageRow(p, most, all) {
      const row = document.createElement('tr'), head = document.createElement('th'), cell = document.createElement('td');
      head.scope = 'row';
      const bar = head.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg'));
      bar.setAttribute('class', 'bar');
      bar.setAttribute('aria-hidden', 'true');
      const length = bar.appendChild(document.createElementNS(bar.namespaceURI, 'rect'));
      length.setAttribute('width', `${100 * p.pageViews / Math.max(1, most)}%`);
      length.setAttribute('height', '100%');
      const link = head.appendChild(document.createElement('a')), to = new URL(card.dataset.site ?? location.href, location.href);
      to.searchParams.append('where', 'page=' + (/^["\s]|,|\s$/.test(p.page) ? `"${p.page.replaceAll('"', '""')}"` : p.page));
      link.href = to.pathname + to.search;
      const name = link.appendChild(document.createElement('bdi'));
      name.textContent = name.title = plain(p.page);
      cell.textContent = number(p.pageViews);
      if (p.maxUndercount) cell.textContent += '+';
      row.append(head, cell, document.createElement('td'), document.createElement('td'));
      row.lastChild.className = 'since';
      row.children[2].textContent = percent(p.pageViews, all);
      row.children[2].className = 'share';
      return row;
    }
    async function ask() {
      try {
        const answer = await fetch(now.dataset.realtime);
        if (answer.ok) show(await answer.json());
      } catch { /* The server may be back at the next time. */ }
    }
    let stream, timer;
    function rest() {
      stream?.close();
      clearInterval(timer);
    }
    function poll() {
      rest();
      timer = setInterval(ask, 30000);
    }
    function listen() {
      rest();
      if (document.hidden) return;
      if (!now.dataset.stream) return poll();
      stream = new EventSource(now.dataset.stream);
      stream.onmessage = e => show(JSON.parse(e.data));
      stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) poll(); }; // Too many listen. Otherwise it connects again.
    }
    document.addEventListener('visibilitychange', listen);
    addEventListener('pagehide', rest);
    addEventListener('pageshow', e => { if (e.persisted) listen(); });
    setTimeout(listen, 3000); // The page has the figures of now.
  }

  // The form of a new filter suggests the values that its dimension has in the range. They are read when it is open.
  const adding = one('[data-values]');
  if (adding) {
    const chosen = one('select[name="filter"]', adding), condition = one('select[name="op"]', adding), input = one('input[name="value"]', adding);
    const list = document.createElement('datalist'), known = new Map();
    list.id = 'values';
    input.after(list);
    input.setAttribute('list', list.id);
    input.removeAttribute('autocomplete'); // Some browsers suggest nothing then.
    async function valuesOf(dimension) {
      if (dimension === 'type') return []; // It has no list without reading raw events.
      const figure = { entry: 'entries', exit: 'exits' }[dimension]; // Of pages.
      const path = dimension === 'goal' ? 'goals?' : figure ? `top/page?sort=${figure}&` : `top/${encodeURIComponent(dimension)}?`;
      try {
        const answer = await fetch(adding.dataset.values + path + adding.dataset.valuesOf);
        if (!answer.ok) return [];
        const { rows = [], totals } = await answer.json();
        if (dimension === 'goal') return (totals?.goals ?? []).filter(g => !g.deleted).map(g => ({ value: g.goalId, label: g.name }));
        // A field does not keep each character, and not each length.
        return rows.filter(r => !figure || r[figure]).map(r => r.value).filter(v => v === plain(v) && !/[\n\r\t]/.test(v) && v.length <= input.maxLength).map(value => ({ value }));
      } catch {
        known.delete(dimension); // The next time it may answer.
        return [];
      }
    }
    // A country is found by its name as well as by its code.
    const countries = new Intl.DisplayNames(document.documentElement.dataset.language || 'en', { type: 'region' });
    const nameOf = (dimension, value) => dimension === 'country' && /^[A-Z]{2}$/.test(value) ? `${countries.of(value)} (${value})` : value;
    async function suggest() {
      if (!adding.open) return;
      const dimension = chosen.value, whole = dimension === 'goal'; // Goals are compared as a whole.
      for (const option of condition.options) option.disabled = whole && !/^!?=$/.test(option.value);
      if (condition.selectedOptions[0]?.disabled) condition.value = '=';
      if (!known.has(dimension)) known.set(dimension, valuesOf(dimension));
      list.replaceChildren();
      const values = await known.get(dimension);
      if (dimension !== chosen.value) return;
      list.replaceChildren(...values.map(v => Object.assign(document.createElement('option'), { label: nameOf(dimension, v.value), ...v })));
    }
    adding.addEventListener('toggle', suggest);
    chosen.addEventListener('change', suggest);
  }

  // The link to what is shown becomes a button that copies it, where the browser lets it.
  const link = one('[data-copy]');
  if (link && navigator.clipboard) {
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'plain';
    copy.title = link.title;
    copy.textContent = link.dataset.copy;
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(link.href);
        copy.textContent = link.dataset.copied;
      } catch { // The browser does not allow it: the link can be copied by hand.
        copy.remove();
        link.hidden = false;
      }
    });
    link.hidden = true;
    link.after(copy);
  }

  // Days of the viewer's own zone.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const link of all('[data-zone]')) {
    if (!zone || zone === link.dataset.zone) continue;
    const to = new URL(link.href);
    to.searchParams.set('tz', zone);
    link.href = to;
    link.textContent = filled(link.dataset.text, zone);
    link.hidden = false;
  }

  // A page that the browser keeps for the way back shows no forms then that were open when it was left.
  addEventListener('pagehide', () => all('details[open]:has(form)').forEach(d => { d.open = false; }));

  // Searches show what they find while it is typed.
  for (const form of all('[data-live]')) {
    let timer, asked;
    form.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        asked?.abort();
        asked = new AbortController();
        const values = new URLSearchParams(new FormData(form));
        if (!values.get('search')) values.delete('search');
        const to = form.getAttribute('action') + (values.size ? '?' + values : '');
        try {
          const answer = await fetch(to, { signal: asked.signal, headers: { Accept: 'text/html' } });
          const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
          const found = one(form.dataset.live, page);
          if (!found) return;
          one(form.dataset.live).replaceChildren(...found.childNodes);
          history.replaceState(null, '', to);
        } catch { /* The next letter has asked, or the form can be sent. */ }
      }, 250);
    });
  }

  // Keys: what has one is clicked, or gets the focus.
  const dialog = one('#keys');
  const keyed = () => all('[aria-keyshortcuts]').filter(e => !e.closest('[hidden]'));
  const spelled = { ArrowLeft: '←', ArrowRight: '→' };
  function listKeys() {
    const list = one('dl', dialog);
    list.replaceChildren();
    const add = (key, does) => {
      const row = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
      const kbd = document.createElement('kbd');
      kbd.textContent = spelled[key] ?? key;
      dt.append(kbd);
      dd.textContent = does;
      row.append(dt, dd);
      list.append(row);
    };
    for (const e of keyed()) add(e.getAttribute('aria-keyshortcuts'), e.title || e.placeholder || e.textContent.trim());
    if (graph) add('g', dialog.dataset.graph);
    if (one('th[scope="row"] a[href*="where="]')) add('⇧', dialog.dataset.pick);
    add('?', dialog.dataset.list);
    dialog.showModal();
  }
  const button = one('[data-keys]');
  if (button) {
    button.hidden = false;
    button.addEventListener('click', listKeys);
  }
  document.addEventListener('keydown', e => {
    if (e.metaKey || e.ctrlKey || e.altKey || dialog.open || e.target.closest('input, select, textarea, [contenteditable]')) return;
    if (e.key === '?') return listKeys();
    if (e.key.startsWith('Arrow') && e.target.closest('.scroll')) return;
    const of = e.key === 'g' ? one('.point[tabindex="0"]') : keyed().find(k => k.getAttribute('aria-keyshortcuts') === e.key);
    if (!of) return;
    e.preventDefault();
    if (e.key === 'g' || of.matches('input')) of.focus();
    else of.click();
    if (of.matches('summary')) (one('[open] select, [open] input:not([type=hidden])', of.parentElement.parentElement) ?? of).focus();
  });
})();
