// @ts-check
// Loads the next page into the same document, so that what goes on in it, such as an upload, is not interrupted. What
// leads to no page, or to a page that does not fit this document, loads as everywhere.

import { isBusy, leaveFor } from './portal-busy.js';
import { tellShown } from './portal-shown.js';
import { awaitPage } from './portal-skeleton.js';

/**
 * @typedef {{ method?: string, body?: XMLHttpRequestBodyInit, isBack?: boolean, partId?: string }} Way
 */

/** @type {XMLHttpRequest | undefined} */
let onItsWay;
/** The address whose page is shown, without the part after the #. */
let shownAddress = '';
/** Where each page of the history was scrolled to. @type {Map<number, number>} */
const scrolled = new Map();
let place = 0;
let lastPlace = 0;
/** The addresses of the scripts that run in this document. @type {Set<string>} */
const running = new Set();
let nonce = '';
let portalPath = '';

/**
 * @param {string} path the path of the portal
 */
export function startWalking(path) {
	portalPath = path;
	nonce = document.querySelector('script')?.nonce ?? '';
	for (const { src } of document.scripts) if (src) running.add(src);
	shownAddress = addressOf(location);
	place = lastPlace = history.state?.place ?? Date.now();
	history.replaceState({ place }, '');
	history.scrollRestoration = 'manual';
	// A browser that loads this address anew scrolls by itself.
	addEventListener('pagehide', () => {
		history.scrollRestoration = 'auto';
	});
	addEventListener('popstate', onBack);
	document.addEventListener('click', onClick);
	document.addEventListener('submit', onSubmit);
}

/** @param {URL | Location} address */
const addressOf = ({ pathname, search }) => pathname + search;

/** @param {URL} address */
const isOfPortal = ({ origin, pathname }) =>
	origin === location.origin && (pathname === portalPath || pathname.startsWith(`${portalPath}/`));

/** @param {MouseEvent} event */
function onClick(event) {
	if (event.defaultPrevented || event.button !== 0) return;
	if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
	const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
	if (!(link instanceof HTMLAnchorElement) || link.target !== '') return;
	const address = new URL(link.href);
	if (addressOf(address) === shownAddress && address.hash !== '') return;
	if (isOfPortal(address) && link.dataset.whole === undefined) {
		event.preventDefault();
		walk(address);
		return;
	}
	if (!isBusy()) return;
	// A file, or a page of another kind, gets a window of its own while this document is needed.
	link.target = '_blank';
	link.rel = 'noopener';
	setTimeout(() => {
		link.removeAttribute('target');
		link.removeAttribute('rel');
	});
}

/** @param {SubmitEvent} event */
function onSubmit(event) {
	const { target: form, submitter } = event;
	if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.dataset.whole !== undefined) return;
	/** @param {string} name */
	const attribute = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? undefined;
	const method = (attribute('method') ?? 'get').toUpperCase();
	const address = new URL(attribute('action') || location.href, location.href);
	if (!isOfPortal(address) || (method !== 'GET' && method !== 'POST')) return;
	event.preventDefault();
	const fields = new FormData(form, submitter);
	if (method === 'GET') {
		address.search = new URLSearchParams(/** @type {any} */ (fields)).toString();
		walk(address);
		return;
	}
	// What was sent is not sent a second time before its answer is there.
	if (onItsWay && form.ariaBusy === 'true') return;
	form.ariaBusy = 'true';
	const isOfFiles = attribute('enctype') === 'multipart/form-data';
	const body = isOfFiles ? fields : new URLSearchParams(/** @type {any} */ (fields));
	walk(address, { method, body, partId: submitter?.dataset.part }, () => form.removeAttribute('aria-busy'));
}

function onBack() {
	const address = new URL(location.href);
	if (addressOf(address) !== shownAddress) {
		walk(address, { isBack: true });
		return;
	}
	if (history.state === null) {
		// A link within the page was followed, and the browser scrolls there.
		place = ++lastPlace;
		history.replaceState({ place }, '');
		return;
	}
	scrolled.set(place, scrollY);
	place = history.state.place ?? 0;
	if (scrolled.has(place)) scrollTo(0, scrolled.get(place) ?? 0);
	else document.getElementById(address.hash.slice(1))?.scrollIntoView();
}

/**
 * @param {URL} address
 * @param {Way} [way]
 * @param {() => void} [onEnd]
 */
function walk(address, way = {}, onEnd) {
	const { method = 'GET', body, partId } = way;
	onItsWay?.abort();
	const request = new XMLHttpRequest();
	onItsWay = request;
	const main = document.querySelector('main');
	main?.setAttribute('aria-busy', 'true');
	// A list that is filtered, and a form that is sent, stay in sight meanwhile.
	const isOther = method === 'GET' && address.pathname !== shownAddress.split('?')[0];
	const endWaiting = main && isOther ? awaitPage(main, shapeOf(address)) : undefined;
	const end = () => {
		if (onItsWay === request) onItsWay = undefined;
		endWaiting?.();
		main?.removeAttribute('aria-busy');
		onEnd?.();
	};
	// A script may make no markup from text here, and it need not: the browser itself makes the document.
	request.open(method, address);
	request.responseType = 'document';
	request.setRequestHeader('x-portal-walk', '1');
	if (partId !== undefined) request.setRequestHeader('x-portal-part', '1');
	request.addEventListener('readystatechange', () => {
		if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED || isPage(request)) return;
		request.abort();
		// What came is a file, which the browser fetches for itself.
		if (method === 'GET') open(address, isBusy() ? '_blank' : '_self', 'noopener');
	});
	request.addEventListener('load', () => {
		end();
		if (partId === undefined) arrive(request, address, way);
		else putPart(request, partId);
	});
	request.addEventListener('error', () => {
		end();
		sayUnreachable();
	});
	request.addEventListener('abort', end);
	request.send(body);
}

/**
 * Tells what the page of an address looks like: the overview, a list, or an object of a list, which stands below it.
 *
 * @param {URL} address
 */
function shapeOf({ pathname }) {
	if (pathname === portalPath) return 'overview';
	return pathname.slice(portalPath.length + 1).includes('/') ? 'object' : 'list';
}

/** @param {XMLHttpRequest} request */
function isPage(request) {
	const type = request.getResponseHeader('content-type') ?? '';
	return request.status === 401 || (type.startsWith('text/html') && !request.getResponseHeader('content-disposition'));
}

/**
 * @param {XMLHttpRequest} request
 * @param {URL} asked
 * @param {Way} way
 */
function arrive(request, asked, { isBack }) {
	/** @type {Document | null} */
	const next = request.response;
	const arrived = new URL(request.responseURL);
	const isPosted = request.getResponseHeader('x-portal-posted') !== null;
	if (!next?.body || !isOfPortal(arrived)) return leaveFor(arrived);
	if (!fits(next) && !isPosted && !isBusy()) return location.assign(arrived);
	if (addressOf(arrived) === addressOf(asked)) arrived.hash = asked.hash;
	scrolled.set(place, scrollY);
	if (isBack) place = history.state?.place ?? 0;
	else if (!isPosted) remember(arrived);
	shownAddress = isPosted ? shownAddress : addressOf(arrived);
	put(next);
	if (isBack && scrolled.has(place)) scrollTo(0, scrolled.get(place) ?? 0);
	else {
		const goal = arrived.hash === '' ? null : document.getElementById(decodeURIComponent(arrived.hash.slice(1)));
		if (goal) goal.scrollIntoView();
		else scrollTo(0, 0);
	}
}

/** @param {URL} address */
function remember(address) {
	if (address.href === location.href) return;
	place = ++lastPlace;
	history.pushState({ place }, '', address);
}

/**
 * Tells whether a page is one for somebody who is signed in, made by the version of the service that made this document.
 *
 * @param {Document} next
 */
function fits(next) {
	const own = [...running].find((address) => address.includes('/portal-frame-'));
	return [...next.scripts].some(({ src }) => src === own);
}

/** @param {Document} next */
function put(next) {
	document.title = next.title;
	document.documentElement.lang = next.documentElement.lang;
	const style = document.querySelector('head style');
	const styleText = /** @type {HTMLTemplateElement | null} */ (next.getElementById('page-style'))?.content.textContent;
	if (style && styleText && style.textContent !== styleText) style.textContent = styleText;
	const tray = document.getElementById('tray');
	for (const node of [...document.body.childNodes]) if (node !== tray) node.remove();
	for (const node of [...next.body.childNodes]) document.body.insertBefore(node, tray);
	const heading = document.querySelector('h1');
	if (heading) {
		heading.tabIndex = -1;
		heading.focus({ preventScroll: true });
	}
	tellShown();
	void runScripts(next);
}

/**
 * Runs the scripts of a page that do not run in this document yet. Each is compared with its hash and needs the nonce of
 * this document, as if the page had been loaded.
 *
 * @param {Document} next
 */
async function runScripts(next) {
	for (const { src, type, integrity } of [...next.scripts]) {
		if (type !== 'module' || running.has(src)) continue;
		running.add(src);
		const link = document.createElement('link');
		Object.assign(link, { rel: 'modulepreload', href: src, integrity, nonce });
		const isThere = await new Promise((resolve) => {
			link.onload = () => resolve(true);
			link.onerror = () => resolve(false);
			if (!link.relList.supports('modulepreload')) resolve(true);
			document.head.append(link);
		});
		link.remove();
		if (isThere) await import(src).catch(() => running.delete(src));
		else running.delete(src);
	}
}

/**
 * Puts the part that was asked for in its place.
 *
 * @param {XMLHttpRequest} request
 * @param {string} id
 */
function putPart(request, id) {
	const login = request.getResponseHeader('x-portal-login');
	if (login) return leaveFor(login);
	/** @type {Document | null} */
	const answer = request.response;
	const part = answer?.getElementById(id) ?? answer?.querySelector('main .notice');
	const target = document.getElementById(id);
	if (part && target) target.replaceChildren(...(part.id === id ? [...part.childNodes] : [part]));
}

/** Says at the top of the page that nothing came. What was typed stays where it is. */
function sayUnreachable() {
	const said = document.getElementById('idle')?.dataset.unreachable ?? '';
	const main = document.querySelector('main');
	main?.querySelector('.notice.unreachable')?.remove();
	const notice = document.createElement('p');
	notice.className = 'notice bad unreachable';
	notice.setAttribute('role', 'alert');
	notice.textContent = said;
	main?.querySelector('h1')?.after(notice);
	notice.scrollIntoView({ block: 'nearest' });
}
