// SPDX-License-Identifier: GPL-3.0-or-later
// What a browser does with the flame graph of svg.c: zooms into a box at a click, marks what a person searches
// for.  A box is a group with its place and width in fractions of all (x, w) and its level (d); its name is n.
// The build puts this file into the program (local.mk), without these lines and its indentation.
(function () {
	'use strict';
	var root = document.documentElement;
	var info = document.getElementById('info'), share = document.getElementById('share');
	var width = +root.getAttribute('data-width'), margin = +root.getAttribute('data-margin');
	var epsilon = 1e-9; /* places are sums of rounded widths */
	var character = 7.3; /* pixels of one, as in svg.c */

	function boxOf(g) {
		return {
			g: g,
			x: +g.getAttribute('data-x'),
			w: +g.getAttribute('data-w'),
			d: +g.getAttribute('data-d'),
			n: g.getAttribute('data-n'),
			rect: g.querySelector('rect'),
			text: g.querySelector('text')
		};
	}

	var boxes = [].slice.call(document.querySelectorAll('.b')).map(boxOf);

	function label(name, room) {
		if (room < 3)
			return '';
		return name.length <= room ? name : name.slice(0, room - 1) + '\u2026';
	}

	/* What TO stands on is as wide as the picture; what is beside it is not shown. */
	function place(b, to) {
		var below = b.d < to.d && b.x <= to.x + epsilon && b.x + b.w >= to.x + to.w - epsilon;
		var inside = b.d >= to.d && b.x >= to.x - epsilon && b.x + b.w <= to.x + to.w + epsilon;
		var x = below ? 0 : (b.x - to.x) / to.w, w = below ? 1 : b.w / to.w;

		b.g.style.display = below || inside ? '' : 'none';
		b.g.classList.toggle('dim', below);
		if (!below && !inside)
			return;
		b.rect.setAttribute('x', margin + x * width);
		b.rect.setAttribute('width', Math.max(w * width, 0.5));
		b.text.setAttribute('x', margin + x * width + 3);
		b.text.textContent = label(b.n, Math.floor((w * width - 6) / character));
	}

	function zoom(to) {
		boxes.forEach(function (b) { place(b, to); });
	}

	/* In fractions of all, a box that stands on another one counted once. */
	function covered(hits) {
		var sum = 0, end = -1;

		hits.sort(function (a, b) { return a.x - b.x || b.w - a.w; });
		hits.forEach(function (b) {
			var from = Math.max(b.x, end), to = b.x + b.w;

			if (to > from) {
				sum += to - from;
				end = to;
			}
		});
		return sum;
	}

	function search(text) {
		var wanted = text.toLowerCase();
		var hits = boxes.filter(function (b) {
			var hit = wanted !== '' && b.d > 0 && b.n.toLowerCase().indexOf(wanted) >= 0;

			b.g.classList.toggle('hit', hit);
			return hit;
		});

		share.textContent = wanted === '' ? '' :
			"'" + wanted + "' " + (100 * covered(hits)).toFixed(1) + ' %';
	}

	function ask() {
		var text = window.prompt('Search', '');

		if (text !== null)
			search(text);
	}

	boxes.forEach(function (b) {
		b.g.addEventListener('click', function () { zoom(b); });
		b.g.addEventListener('mouseover', function () {
			info.textContent = b.g.querySelector('title').textContent;
		});
	});
	document.getElementById('ask').addEventListener('click', ask);
	window.addEventListener('keydown', function (e) {
		if ((e.ctrlKey && e.key === 'f') || e.key === '/') {
			e.preventDefault();
			ask();
		}
		if (e.key === 'Escape') {
			search('');
			zoom(boxes[0]);
		}
	});
})();
