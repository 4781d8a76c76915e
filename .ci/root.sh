# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# New, minimal installations of Debian, for scripts of this folder to source: packages come from where this machine's
# apt has Debian's.  /proc, /sys and /dev are this machine's, mounted in a mount namespace, which takes them down when
# it ends, however it ends.  $work is a folder, which goes when the script ends.
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
work=$(mktemp -d "${TMPDIR:-/tmp}/ptop-root-XXXXXX") || exit 2
chmod 755 "$work"
trap '"${as_root[@]}" rm -rf --one-file-system "$work"' EXIT

# skip TEST REASON: a summary as automake's.
skip()
{
	printf 'SKIP: %s: %s\n# TOTAL: 1\n# SKIP: 1\n' "$1" "$2"
}

# Where apt has Debian from; or why not, and 1.
debian_mirror()
{
	# shellcheck disable=SC2016 # apt's variable
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' |
		head -n 1 | grep . || { echo "apt has no source of Debian"; return 1; }
}

# make_root SUITE ROOT: a new installation.
make_root()
{
	local suite=$1 root=$2 mirror

	mirror=$(debian_mirror) || { echo "$mirror"; return 1; }
	"${as_root[@]}" mmdebstrap --quiet --mode=root --variant=minbase --dpkgopt=force-unsafe-io \
		"$suite" "$root" "$mirror"
}

# inside ROOT [VARIABLE=VALUE]… COMMAND…, as root.  The root is a mount there, as on a machine.
inside()
{
	local root=$1

	shift
	# shellcheck disable=SC2016 # the inner shell's
	"${as_root[@]}" unshare --mount --propagation private bash -c '
		root=$1
		shift
		mount --bind "$root" "$root" || exit
		for where in proc sys dev; do
			mount --rbind "/$where" "$root/$where" || exit
		done
		exec chroot "$root" env -i "$@"' bash "$root" PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C.UTF-8 http_proxy="${http_proxy-}" "$@"
}
