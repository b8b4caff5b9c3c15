// Finds the comments of a TypeScript file, so that they can be read, drawn and compared without the code.

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield|throw|else))$/;

/**
 * Cuts a source text into comments and code. Strings, templates and regular expressions count as code, so a `//` inside
 * them starts no comment.
 * @param {string} source
 * @returns {{ comments: { start: number, end: number }[], code: string }}
 */
export function commentsAndCode(source) {
	const comments = [];
	let code = '';
	let at = 0;
	/** @type {number[]} The open braces of each template that is being read, innermost last. */
	const templates = [];
	while (at < source.length) {
		const end = tokenEnd(source, at, code, templates);
		if (isComment(source, at)) comments.push({ start: at, end });
		else code += source.slice(at, end);
		at = end;
	}
	return { comments, code };
}

function isComment(source, at) {
	return source.startsWith('//', at) || source.startsWith('/*', at);
}

function tokenEnd(source, at, codeBefore, templates) {
	const character = source[at];
	if (source.startsWith('//', at)) return indexOrEnd(source, '\n', at);
	if (source.startsWith('/*', at)) return indexOrEnd(source, '*/', at + 2) + 2;
	if (character === "'" || character === '"') return quotedEnd(source, at + 1, character);
	if (character === '`') return templateEnd(source, at + 1, templates);
	if (character === '/' && REGEX_MAY_FOLLOW.test(codeBefore.slice(-20).trimEnd())) return regexEnd(source, at + 1);
	if (templates.length > 0 && character === '{') templates[templates.length - 1]++;
	if (templates.length > 0 && character === '}' && --templates[templates.length - 1] === 0) {
		templates.pop();
		return templateEnd(source, at + 1, templates);
	}
	return at + 1;
}

function indexOrEnd(source, text, from) {
	const index = source.indexOf(text, from);
	return index === -1 ? source.length : index;
}

function quotedEnd(source, from, quote) {
	let at = from;
	while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
	return at + 1;
}

function templateEnd(source, from, templates) {
	let at = from;
	while (at < source.length && source[at] !== '`') {
		if (source.startsWith('${', at)) {
			templates.push(1);
			return at + 2;
		}
		at += source[at] === '\\' ? 2 : 1;
	}
	return at + 1;
}

function regexEnd(source, from) {
	let at = from;
	let inClass = false;
	while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
		if (source[at] === '[') inClass = true;
		if (source[at] === ']') inClass = false;
		at += source[at] === '\\' ? 2 : 1;
	}
	return at + 1;
}

/**
 * Gives each comment of a file as one text: lines of `//` that follow one another belong together.
 * @param {string} source
 * @returns {{ line: number, text: string, start: number, end: number }[]}
 */
export function readComments(source) {
	const groups = [];
	for (const { start, end } of commentsAndCode(source).comments) {
		const last = groups.at(-1);
		const startsLine = /(?:^|\n)[ \t]*$/.test(source.slice(0, start));
		const continues =
			last?.startsLine && startsLine && source.startsWith('//', last.start) && source.startsWith('//', start);
		if (continues && /^\n[ \t]*$/.test(source.slice(last.end, start))) last.end = end;
		else groups.push({ start, end, startsLine });
	}
	return groups.map(({ start, end }) => ({
		start,
		end,
		line: source.slice(0, start).split('\n').length,
		text: plainText(source.slice(start, end)),
	}));
}

function plainText(comment) {
	return comment
		.replace(/^\/\*\*?|\*\/$/g, '')
		.split('\n')
		.map((line) => line.replace(/^\s*(?:\/\/|\*)? ?/, '').trim())
		.join('\n')
		.trim();
}
