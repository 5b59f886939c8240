# SPDX-License-Identifier: Apache-2.0
# What the checks on other systems share.  They have the folder in $root.
# shellcheck shell=bash
root=${root:?}

# impossible REASON: the check is skipped
impossible()
{
    echo "$*"
    exit 77
}

# What this machine's apt asks for Debian's packages.
mirror()
{
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(LABEL)|$(CODENAME)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n "s/^Debian|$(codename)|//p" | head -n 1
}

codename()
{
    sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# install_debian OPTION... SUITE: into $root
install_debian()
{
    local from
    [ "$(id -u)" -eq 0 ] || impossible "only root can install another system in a folder"
    command -v debootstrap >/dev/null || impossible "there is no debootstrap"
    from=$(mirror)
    [ -n "$from" ] || impossible "apt has no mirror of Debian's packages here"
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase "$@" "$root" "$from"
}
