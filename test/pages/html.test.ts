import test from 'ava';
import fc from 'fast-check';
import { Html, html } from '../../src/base/pages/html.ts';
import { renderPage } from '../../src/base/pages/page.ts';

test('a value of a template never becomes markup, in text and in attributes', (t) => {
	fc.assert(
		fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '`', '&', 'a', ' ', '=') }), (text) => {
			const written = `${html`<p title="${text}">${text}</p>`}`;
			const [, attribute, content] = /^<p title="([^"<>'`]*)">([^<>"'`]*)<\/p>$/.exec(written) ?? t.fail(written);
			for (const each of [attribute, content]) t.is(plainOf(each), text);
		}),
	);
});

function plainOf(text: string): string {
	const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#96': '`' };
	return text.replace(/&([^;]+);/g, (_, name) => names[name]);
}

test('markup is joined as it is, lists one after the other, and nothing is written for what is absent', (t) => {
	const items = ['a', '<b>'].map((each) => html`<li>${each}</li>`);
	t.is(`${html`<ul>${items}${null}${undefined}${false}${0}</ul>`}`, '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>');
});

test('no text becomes markup but by the tag', (t) => {
	t.throws(() => Reflect.construct(Html as never, ['<b>']) && html(['<b>'] as never), { message: /^internal error:/ });
	t.throws(() => html(Object.assign(['<b>'], { raw: ['<b>'] }) as never), { message: /^internal error:/ });
});

const PAGE = { language: 'ar', direction: 'rtl', nonce: 'abc', style: 'p{}', body: html`<p>x</p>` } as const;

test('a page says its language and direction, and gives its nonce to its style and its scripts', (t) => {
	const script = { path: '/assets/a-1.js', integrity: 'sha384-x' };
	const text = renderPage({ ...PAGE, title: 'A & B', scripts: [script] });
	t.true(text.startsWith('<!doctype html>\n<html lang="ar" dir="rtl">'));
	t.true(text.includes('<title>A &amp; B</title>'));
	t.true(text.includes('<style nonce="abc">p{}</style>'));
	t.true(text.includes('<script type="module" nonce="abc" src="/assets/a-1.js" integrity="sha384-x"></script>'));
});

test('neither the style nor the data of a page can end their elements', (t) => {
	fc.assert(
		fc.property(fc.string(), (text) => {
			const hostile = `</style></script><script>${text}<!--`;
			const page = renderPage({ ...PAGE, title: hostile, style: hostile, data: { hostile } });
			t.is(page.match(/<script/g)!.length, 1);
			t.is(page.match(/<\/style/g)!.length, 1);
			const [, data] = /id="page-data">([^<]*)<\/script>/.exec(page)!;
			t.deepEqual(JSON.parse(data), { hostile });
		}),
	);
});
