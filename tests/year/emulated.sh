#!/bin/sh
# A Python of another processor, for PYTHONS= of `make year`: emulated.sh FOLDER, on Debian.
#
# Unpacks Debian's packages for arm64 and an emulator into a new folder, and prints the path of the
# interpreter. Installs nothing, and needs no root.
set -eu

mkdir "$1"
folder=$(cd "$1" && pwd)
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/root"
: > "$folder/apt/status"
sandbox="APT::Sandbox::User=$(id -un)"
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "$sandbox" \
    -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" \
    -o Dir::Cache="$folder/apt" -o Debug::NoLocking=1 "$@"
}
apt update
apt --download-only --yes --no-install-recommends install python3-venv >&2
for package in "$folder"/apt/archives/*.deb; do
  dpkg -x "$package" "$folder/root"
done
test -e "$folder/root/lib" || ln -s usr/lib "$folder/root/lib"

cd "$folder"
apt-get -qq -o "$sandbox" download qemu-user-static >&2
dpkg -x qemu-user-static_*.deb "$folder/emulator"

# Named by the path that it is called by, it finds its library, and makes environments.
cat > "$folder/root/usr/bin/emulated-python" <<END
#!/bin/sh
exec "$folder/emulator/usr/bin/qemu-aarch64-static" -L "$folder/root" -0 "\$0" \\
  "$folder/root/usr/bin/python3" "\$@"
END
chmod +x "$folder/root/usr/bin/emulated-python"
echo "$folder/root/usr/bin/emulated-python"
