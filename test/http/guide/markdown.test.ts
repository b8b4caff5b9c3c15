import test from 'ava';
import fc from 'fast-check';
import { renderMarkdown } from '../../../src/doors/http/guide/markdown.ts';
import { runs } from '../../helpers/runs.ts';

const known = (href: string) => (href === 'there' ? href : undefined);

test('headings, paragraphs, lists, tables, code and links', (t) => {
	const page = `# A page\n\nText with \`code <b>\` and a\n[link](there), **bold**.\n\n- one\n  goes on\n- [two](elsewhere.md)\n
| A | B |\n|---|---|\n| \`a\` | 1 < 2 |\n\n\`\`\`sh\n# no heading & no | table\n\`\`\`\n`;
	t.is(
		renderMarkdown(page, known),
		[
			'<h1 id="a-page">A page</h1>',
			'<p>Text with <code>code &lt;b&gt;</code> and a\n<a href="there">link</a>, <strong>bold</strong>.</p>',
			'<ul><li>one\n  goes on</li><li>two</li></ul>',
			'<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td><code>a</code></td><td>1 &lt; 2</td></tr></tbody></table>',
			'<pre><code># no heading &amp; no | table</code></pre>',
		].join('\n'),
	);
});

const TAGS =
	/<\/?(?:h[1-4]|p|ul|li|table|thead|tbody|tr|th|td|pre|code|strong)(?: id="[a-z0-9-]*")?>|<a href="there">|<\/a>/g;

test('no content of a page becomes an element that the page does not mean', (t) => {
	const piece = fc.constantFrom(
		'<script>',
		'"',
		'`',
		'[',
		'](',
		')',
		'|',
		'\n',
		'# ',
		'- ',
		'```',
		'**',
		'&',
		'x',
		' ',
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
			const html = renderMarkdown(pieces.join(''), known);
			t.false(/[<>]/.test(html.replace(TAGS, '')), html);
		}),
		{ numRuns: runs(1000) },
	);
});
