// Converts the subset of Markdown that our own pages use to HTML. Anything unknown stays text and is escaped, so that
// nothing in a page can become markup.

/** Returns the target that a link in Markdown gets in the HTML; undefined if the link is to become plain text. */
export type LinkTarget = (href: string) => string | undefined;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

export function renderMarkdown(markdown: string, linkTarget: LinkTarget): string {
	const blocks: string[] = [];
	const lines = markdown.split('\n');
	let at = 0;
	const takeWhile = (belongs: (line: string) => boolean): string[] => {
		const from = at;
		while (at < lines.length && belongs(lines[at])) at++;
		return lines.slice(from, at);
	};
	while (at < lines.length) {
		const line = lines[at];
		const heading = /^(#{1,4}) (.+)$/.exec(line);
		if (line.trim() === '') at++;
		else if (line.startsWith('```')) {
			at++;
			const code = takeWhile((each) => !each.startsWith('```'));
			at++;
			blocks.push(`<pre><code>${escapeHtml(code.join('\n'))}</code></pre>`);
		} else if (heading) {
			at++;
			const level = heading[1].length;
			blocks.push(`<h${level} id="${idOf(heading[2])}">${inline(heading[2], linkTarget)}</h${level}>`);
		} else if (line.startsWith('|')) {
			blocks.push(
				table(
					takeWhile((each) => each.startsWith('|')),
					linkTarget,
				),
			);
		} else if (line.startsWith('- ')) {
			const items = takeWhile((each) => /^(- | {2}\S)/.test(each)).join('\n');
			const texts = items.slice(2).split(/\n- /);
			blocks.push(`<ul>${texts.map((text) => `<li>${inline(text, linkTarget)}</li>`).join('')}</ul>`);
		} else {
			at++;
			// The first line of a paragraph is always taken, even if it looks like the beginning of another block.
			// Otherwise such a line would never be passed, and the loop would not end.
			blocks.push(`<p>${inline([line, ...takeWhile(isText)].join('\n'), linkTarget)}</p>`);
		}
	}
	return blocks.join('\n');
}

function isText(line: string): boolean {
	return line.trim() !== '' && !/^(```|#{1,4} |\||- )/.test(line);
}

function idOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^a-z0-9 -]/g, '')
		.replaceAll(' ', '-');
}

function table([head, , ...rows]: readonly string[], linkTarget: LinkTarget): string {
	const cells = (row: string, tag: string) =>
		row
			.replace(/^\||\|$/g, '')
			.split('|')
			.map((cell) => `<${tag}>${inline(cell.trim(), linkTarget)}</${tag}>`)
			.join('');
	const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
	return `<table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body}</tbody></table>`;
}

function inline(text: string, linkTarget: LinkTarget): string {
	return text
		.split(/(`[^`]*`|\[[^\]]*\]\([^)\s]*\)|\*\*[^*]+\*\*)/)
		.map((part) => {
			if (/^`.*`$/s.test(part)) return `<code>${escapeHtml(part.slice(1, -1))}</code>`;
			if (/^\*\*.*\*\*$/s.test(part)) return `<strong>${escapeHtml(part.slice(2, -2))}</strong>`;
			const link = /^\[([^\]]*)\]\(([^)\s]*)\)$/s.exec(part);
			if (!link) return escapeHtml(part);
			const target = linkTarget(link[2]);
			return target === undefined ? escapeHtml(link[1]) : `<a href="${escapeHtml(target)}">${escapeHtml(link[1])}</a>`;
		})
		.join('');
}
