const MAX_CHARACTERS = 2000;

/** Tells whether a text is a path of the portal, so that nobody is led to another host. */
export function isPortalPath(text: string | undefined): text is `/portal${string}` {
	return text !== undefined && text.length <= MAX_CHARACTERS && /^\/portal(?:$|[/?#])[!-[\]-~]*$/.test(text);
}

/**
 * Puts the path of our public address before the addresses in markup, for an installation behind a proxy that puts it
 * into a folder. Values are escaped, so that none of them looks like an attribute.
 */
export function withBasePath(markup: string, basePath: string): string {
	if (basePath === '') return markup;
	const attribute = / ((?:data-)?href|action|formaction|src|hx-get|hx-post)="\/(?!\/)/g;
	return markup.replace(attribute, (_, name) => ` ${name}="${basePath}/`);
}
