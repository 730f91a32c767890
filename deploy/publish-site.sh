#!/bin/sh
# Builds the site of the documentation and publishes it as a folder of the branch gh-pages: `vX.Y.Z` for a tag, else `next`. The root of
# the branch leads to the last version. Folders of other versions stay as they are.
#   REMOTE      where to push, with its credential
#   REPOSITORY  owner/name: the site is served below /name/
#   REF         the name of the tag or branch
#   SOURCE      the address of the files of this version, for links to code
set -eu

case $REF in
  v[0-9]*) version=$REF ;;
  *) version=next ;;
esac
address=/${REPOSITORY#*/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if git ls-remote --exit-code "$REMOTE" refs/heads/gh-pages > /dev/null; then
  git clone --quiet --depth 1 --branch gh-pages "$REMOTE" "$work"
else
  git init --quiet --initial-branch=gh-pages "$work"
fi

mkdir -p "$work/$version"
set --
for folder in $(cd "$work" && ls -d v[0-9]* next 2> /dev/null | sort -rV); do
  set -- "$@" --version "$folder=$address/$folder/"
done
npm run --silent build:site -- --base "$address/$version/" --source "$SOURCE" "$@"

rm -rf "${work:?}/$version"
cp -R .build/site/out "$work/$version"
latest=$(cd "$work" && ls -d v[0-9]* 2> /dev/null | sort -rV | head -n 1)
printf '<!doctype html>\n<title>msgnet gateway</title>\n<meta http-equiv="refresh" content="0; url=%s/">\n<a href="%s/">msgnet gateway</a>\n' \
  "${latest:-next}" "${latest:-next}" > "$work/index.html"
# The host of the pages would leave files out whose name begins with a line.
touch "$work/.nojekyll"

cd "$work"
git add --all
git -c user.name=site -c user.email=site@localhost commit --quiet --allow-empty --message "site: $REF"
git push --quiet "$REMOTE" HEAD:gh-pages
